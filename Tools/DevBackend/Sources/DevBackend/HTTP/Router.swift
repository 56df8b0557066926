/// One thing that the API can do.
struct Route: Sendable {
  let method: String
  /// `/sessions/{id}`: what is in braces stands for any one segment.
  let pattern: String
  let shape: any FailureShape
  let handle: @Sendable (RequestContext) throws -> ServerResponse

  /// The parameters, where the path fits; nil where it does not.
  func match(_ segments: [String]) -> [String: String]? {
    let parts = pattern.split(separator: "/")
    guard parts.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (part, segment) in zip(parts, segments) {
      if part.hasPrefix("{") {
        parameters[String(part.dropFirst().dropLast())] = segment
      } else if part != segment {
        return nil
      }
    }
    return parameters
  }
}

/// A request on its way to its route's handler.
struct RequestContext: Sendable {
  let request: ServerRequest
  let parameters: [String: String]
  let log: RequestLog
}

/// Puts a failure into a dialect's words.
protocol FailureShape: Sendable {
  func body(of failure: ServiceFailure) -> JSONValue
}

/// Finds the route of a request.
struct Router: Sendable {
  let routes: [Route]
  /// For paths that no route has: by prefix, the longest first.
  let shapes: [(prefix: String, shape: any FailureShape)]

  /// What a request is for.
  enum Destination: Sendable {
    case route(Route, parameters: [String: String])
    case failure(ServiceFailure, any FailureShape)
  }

  func destination(of request: ServerRequest) -> Destination {
    // HEAD is GET whose body is not sent, which the server sees to.
    let method = request.method == "HEAD" ? "GET" : request.method
    var others: [String] = []
    for route in routes {
      guard let parameters = request.segments.flatMap(route.match) else { continue }
      if route.method == method {
        // An id that came out empty must not end the whole collection.
        if method == "DELETE", request.hasEmptySegment {
          return .failure(.notFound("path"), shape(of: request.path))
        }
        return .route(route, parameters: parameters)
      }
      others.append(route.method)
    }
    let failure: ServiceFailure = others.isEmpty ? .notFound("path") : .methodNotAllowed(others)
    return .failure(failure, shape(of: request.path))
  }

  /// The pattern of the route that a request is for; nil where there is none.
  func pattern(of request: ServerRequest) -> String? {
    guard case .route(let route, _) = destination(of: request) else { return nil }
    return route.pattern
  }

  func shape(of path: String) -> any FailureShape {
    shapes.first { path.hasPrefix($0.prefix) }?.shape ?? SkyConnectShape()
  }
}
