#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads and writes the bodies of one dialect.
///
/// The two write the same fields, one in snake_case and the other in camelCase with an
/// envelope. So there is one set of wire types, and the key strategy makes the difference.
struct WireFormat {
  let dialect: MessageDialect

  func encode(_ value: some Encodable) throws(MessageError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if dialect == .skyConnect { encoder.keyEncodingStrategy = .convertToSnakeCase }
    do {
      return [UInt8](try encoder.encode(value))
    } catch {
      throw .underlying(error, isTemporary: false)
    }
  }

  /// Reads an answer: a success as a value, all else as an error.
  ///
  /// - Parameters:
  ///   - type: what the answer has to be.
  ///   - response: the answer.
  ///   - group: the group that was asked about, where a 404 means that it is not there.
  /// - Returns: the value.
  /// - Throws: ``MessageError``, never `cancelled` or `underlying`.
  func decode<Value: Decodable>(
    _ type: Value.Type,
    from response: MessageResponse,
    group: String?
  ) throws(MessageError) -> Value {
    guard (200..<300).contains(response.status) else {
      if response.status == 404, let group { throw .groupNotFound(group) }
      throw .rejected(
        MessageRejection(
          status: response.status,
          message: errorText(of: response),
          requestID: response.requestID,
          retryAfter: response.retryAfter
        )
      )
    }
    let decoder = JSONDecoder()
    if dialect == .skyConnect { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    let body = Data(response.body)
    do {
      return switch dialect {
      case .skyConnect: try decoder.decode(Value.self, from: body)
      case .ksn: try decoder.decode(WireEnvelope<Value>.self, from: body).data
      }
    } catch {
      throw .malformedAnswer(Self.reason(of: error))
    }
  }

  private func errorText(of response: MessageResponse) -> String {
    let failure = try? JSONDecoder().decode(WireFailure.self, from: Data(response.body))
    return failure?.text ?? "HTTP \(response.status)"
  }

  /// Where in the answer the fault lies, without the values: they may be anybody's secrets.
  private static func reason(of error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "the body" : path.map(\.stringValue).joined(separator: ".")
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(place(context.codingPath + [key])) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\(place(context.codingPath)) is of another type"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\(place(context.codingPath)) cannot be"
    // Foundation names no place for a number that does not fit.
    default: "it is no JSON, or a number in it is out of range"
    }
  }
}
