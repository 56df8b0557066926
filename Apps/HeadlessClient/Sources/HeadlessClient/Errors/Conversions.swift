internal import AuthNetworking
internal import GroupMessages
internal import SecureStorage

/// Does something with the store, and says its errors in the command line's words.
func withStorageErrors<Result>(
  _ body: () throws(StorageError) -> Result
) throws(ClientError) -> Result {
  do {
    return try body()
  } catch {
    throw ClientError(error)
  }
}

/// Does something with the store, and says its errors in the command line's words.
func withStorageErrors<Result>(
  _ body: () async throws(StorageError) -> Result
) async throws(ClientError) -> Result {
  do {
    return try await body()
  } catch {
    throw ClientError(error)
  }
}

/// Does something with the session, and says its errors in the command line's words.
func withAuthErrors<Result>(
  _ body: () async throws(AuthError) -> Result
) async throws(ClientError) -> Result {
  do {
    return try await body()
  } catch {
    throw ClientError(error)
  }
}

/// Does something with messages, and says its errors in the command line's words.
func withMessageErrors<Result>(
  _ body: () throws(MessageError) -> Result
) throws(ClientError) -> Result {
  do {
    return try body()
  } catch {
    throw ClientError(error)
  }
}

/// Does something with messages, and says its errors in the command line's words.
func withMessageErrors<Result>(
  _ body: () async throws(MessageError) -> Result
) async throws(ClientError) -> Result {
  do {
    return try await body()
  } catch {
    throw ClientError(error)
  }
}
