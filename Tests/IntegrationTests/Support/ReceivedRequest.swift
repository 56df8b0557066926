import Foundation

/// One request as the scripted backend received it.
struct ReceivedRequest: Sendable {
  var method: String
  var target: String
  var headers: [String: String]
  var body: Data

  var path: String { String(target.prefix { $0 != "?" }) }

  var requestID: String? { headers["x-request-id"] }

  /// The bearer token, without the scheme.
  var bearer: String? {
    headers["authorization"].flatMap { value in
      value.hasPrefix("Bearer ") ? String(value.dropFirst(7)) : nil
    }
  }

  /// A string in the JSON body.
  func field(_ name: String) -> String? {
    let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
    return object?[name] as? String
  }
}
