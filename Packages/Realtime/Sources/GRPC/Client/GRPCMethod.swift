/// A method with the types of its messages, for calls that deal in values instead of bytes.
///
/// ```swift
/// let say = GRPCMethod<SendRequest, Message>(
///   "/echo.Echo/Say", encode: { $0.protobuf }, decode: { try Message(protobuf: $0) })
/// let answer = try await channel.unary(say, request)
/// ```
public struct GRPCMethod<Request: Sendable, Response: Sendable>: Sendable {
  /// `/package.Service/Method`.
  public let path: String

  private let encode: @Sendable (Request) throws -> [UInt8]
  private let decode: @Sendable ([UInt8]) throws -> Response

  /// A method from its path and the codec of its messages.
  ///
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - encode: makes a request's bytes.
  ///   - decode: reads an answer's bytes.
  public init(
    _ path: String,
    encode: @escaping @Sendable (Request) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Response
  ) {
    self.path = path
    self.encode = encode
    self.decode = decode
  }

  func bytes(_ request: Request) throws(GRPCError) -> [UInt8] {
    do {
      return try encode(request)
    } catch {
      throw GRPCError(GRPCStatus(.internalError, "The request cannot be encoded: \(error)"))
    }
  }

  func response(_ bytes: [UInt8]) throws(GRPCError) -> Response {
    do {
      return try decode(bytes)
    } catch {
      throw GRPCError(GRPCStatus(.internalError, "The answer cannot be decoded: \(error)"))
    }
  }
}
