/// `/files/{name}` and `/api/files/{name}`: a place to try uploads and downloads with.
struct FileRoutes: Sendable {
  let core: BackendCore
  private var shelf: FileShelf { core.operations.files }

  init(core: BackendCore) { self.core = core }

  var all: [Route] {
    [("", SkyConnectShape() as any FailureShape, false), ("/api", KSNShape(), true)].flatMap {
      prefix,
      shape,
      isKSN in
      [
        Route(method: "GET", pattern: "\(prefix)/files", shape: shape) { context in
          ServerResponse(200, Self.wrapped(try list(context), isKSN: isKSN))
        },
        Route(method: "PUT", pattern: "\(prefix)/files/{name}", shape: shape) { context in
          let (status, body) = try put(context)
          return ServerResponse(status, Self.wrapped(body, isKSN: isKSN))
        },
        Route(method: "GET", pattern: "\(prefix)/files/{name}", shape: shape, handle: get),
        Route(method: "DELETE", pattern: "\(prefix)/files/{name}", shape: shape, handle: remove),
      ]
    }
  }

  private func list(_ context: RequestContext) throws -> JSONValue {
    let principal = try AccessGate(core: core).principal(bearer: context.request.bearer)
    let files = shelf.files(of: principal.userID).map { Self.json($0.name, $0.file) }
    return .of(["files": .array(files)])
  }

  private func put(_ context: RequestContext) throws -> (status: Int, body: JSONValue) {
    let place = try place(context)
    // What goes out again as a header must be fit for one.
    let sent = context.request.headers["content-type"] ?? ""
    let isPlain = !sent.isEmpty && sent.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    let file = FileShelf.File(
      bytes: context.request.body,
      type: isPlain ? sent : "application/octet-stream"
    )
    return (shelf.put(file, at: place) ? 201 : 200, Self.json(place.name, file))
  }

  @Sendable
  private func get(_ context: RequestContext) throws -> ServerResponse {
    guard let file = shelf.file(at: try place(context)) else {
      throw ServiceFailure.notFound("file")
    }
    // A browser that is led here must not take it for a page of ours.
    return ServerResponse(
      200,
      bytes: file.bytes,
      type: file.type,
      headers: [
        HTTPHeader("X-Content-Type-Options", "nosniff"),
        HTTPHeader("Content-Security-Policy", "sandbox"),
        HTTPHeader("Content-Disposition", "attachment"),
      ]
    )
  }

  @Sendable
  private func remove(_ context: RequestContext) throws -> ServerResponse {
    guard shelf.remove(try place(context)) else { throw ServiceFailure.notFound("file") }
    return .noContent
  }

  /// Where the caller's file of that name lies.
  private func place(_ context: RequestContext) throws -> FileShelf.Place {
    let principal = try AccessGate(core: core).principal(bearer: context.request.bearer)
    let name = context.parameters["name"] ?? ""
    guard (1...128).contains(name.utf8.count) else {
      let fault = FieldFault(field: "name", message: "name must have 1 to 128 bytes")
      throw ServiceFailure.validation([fault])
    }
    return FileShelf.Place(user: principal.userID, name: name)
  }

  private static func json(_ name: String, _ file: FileShelf.File) -> JSONValue {
    .of([
      "name": .string(name), "size": .integer(Int64(file.bytes.count)),
      "type": .string(file.type),
    ])
  }

  private static func wrapped(_ body: JSONValue, isKSN: Bool) -> JSONValue {
    isKSN ? KSNShape.data(body) : body
  }
}
