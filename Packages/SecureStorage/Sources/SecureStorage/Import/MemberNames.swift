#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The names of a JSON object's own members, as they stand there.
enum MemberNames {
  /// The first name that an object has twice.
  ///
  /// - Parameter object: JSON that a decoder has accepted.
  /// - Returns: The name; nil where there is none.
  static func doubled(in object: Data) -> String? {
    var seen: Set<String> = []
    for name in all(in: Array(object)) {
      // Written in another way it is the same name: "\u006Bey".
      let text = (try? JSONDecoder().decode(String.self, from: Data(name))) ?? ""
      guard seen.insert(text).inserted else { return text }
    }
    return nil
  }

  /// The names with their quotes, in their order.
  private static func all(in object: [UInt8]) -> [ArraySlice<UInt8>] {
    var names: [ArraySlice<UInt8>] = []
    var (depth, index) = (0, 0)
    var isName = false
    while index < object.count {
      let start = index
      switch object[index] {
      case UInt8(ascii: "\""):
        index = end(ofStringAt: index, in: object)
        if isName { names.append(object[start..<index]) }
        isName = false
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        isName = depth == 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ","): isName = depth == 1
      default: break
      }
      index += 1
    }
    return names
  }

  /// Behind the closing quote.
  private static func end(ofStringAt start: Int, in object: [UInt8]) -> Int {
    var index = start + 1
    while index < object.count, object[index] != UInt8(ascii: "\"") {
      index += object[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, object.count)
  }
}
