public import SessionModels

/// Takes secrets out of text that others wrote: a server's error message that quotes a token (R9).
///
/// Known secrets are replaced wherever they stand, by what `Secret.redacted`
/// shows of them. Of unknown ones, whatever looks like a JWT or follows `Bearer` is cut down
/// in the same way.
public struct Redactor: Sendable {
  private let secrets: [Secret]
  private let cutsUnknownTokens: Bool
  private let cutsOpaqueTokens: Bool

  /// Shorter secrets would blank every other word of a message and protect nothing.
  private static let shortestSecret = 4

  /// A redactor that knows these secrets; none is fine.
  ///
  /// - Parameters:
  ///   - secrets: what must not be shown.
  ///   - cutsUnknownTokens: whether what only looks like a token is cut down as well.
  ///   - cutsOpaqueTokens: whether that goes for long words of mixed letters and digits, too:
  ///     right for a server's prose, wrong for texts that hold fingerprints and paths.
  public init(
    _ secrets: [Secret] = [],
    cutsUnknownTokens: Bool = true,
    cutsOpaqueTokens: Bool = false
  ) {
    self.cutsUnknownTokens = cutsUnknownTokens
    self.cutsOpaqueTokens = cutsOpaqueTokens
    // Longest first, so that a secret which contains another one is not left half readable.
    self.secrets = secrets.filter { $0.count >= Redactor.shortestSecret }
      .sorted { $0.count > $1.count }
  }

  /// The text with every secret taken out, and with the beginning of one that the text, ending in
  /// `…`, was cut in.
  public func redact(_ text: String) -> String {
    var bytes = withoutCutSecret(Array(text.utf8))
    for secret in secrets {
      secret.withBytes { bytes = replacing($0, in: bytes, with: Array(secret.redacted.utf8)) }
    }
    if cutsUnknownTokens { bytes = cuttingTokens(in: bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Takes away what a text ends with before its `…`, where that is the beginning of a secret.
  private func withoutCutSecret(_ bytes: [UInt8]) -> [UInt8] {
    let end = Array(ServerText.ellipsis.utf8)
    guard bytes.count > end.count, bytes.suffix(end.count).elementsEqual(end) else { return bytes }
    let said = bytes.dropLast(end.count)
    let longest = secrets.map { secret in
      secret.withBytes { secret in
        (0..<min(secret.count, said.count)).last { length in
          length >= Redactor.shortestSecret && said.suffix(length).elementsEqual(secret[..<length])
        } ?? 0
      }
    }
    guard let cut = longest.max(), cut > 0 else { return bytes }
    return said.dropLast(cut) + end
  }

  private func replacing(
    _ pattern: UnsafeRawBufferPointer,
    in bytes: [UInt8],
    with replacement: [UInt8]
  ) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let next = rest.firstIndex(of: pattern[0]) {
      result += rest[..<next]
      rest = rest[next...]
      if rest.starts(with: pattern) {
        result += replacement
        rest = rest.dropFirst(pattern.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  /// Cuts down what begins like a JWT's header, and the word after `Bearer`.
  private func cuttingTokens(in bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    var followsBearer = false
    while !rest.isEmpty {
      let word = rest.prefix { Redactor.isTokenCharacter($0) }
      rest = rest.dropFirst(word.count)
      let isWhole = followsBearer && word.count >= 8 || cutsOpaqueTokens && Redactor.isOpaque(word)
      let token = isWhole ? word : Redactor.jwt(in: word)
      result += word[..<token.startIndex]
      if !token.isEmpty { result += Secret(bytes: token).redacted.utf8 }
      if !word.isEmpty { followsBearer = Redactor.isBearer(word) }
      if let separator = rest.popFirst() { result.append(separator) }
    }
    return result
  }

  /// The part of a word that begins with `eyJ`, the base64url of `{"`; empty where there is none.
  private static func jwt(in word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = word
    while rest.count >= 16 {
      if rest.starts(with: "eyJ".utf8) { return rest }
      rest.removeFirst()
    }
    return word[word.endIndex...]
  }

  /// Whether a word is long and changes between letters and digits as only random ones do; a UUID,
  /// which names a request or a thing, is no secret.
  private static func isOpaque(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.count >= 20 else { return false }
    let dashes = word.indices.filter { word[$0] == UInt8(ascii: "-") }.map { $0 - word.startIndex }
    if word.count == 36, dashes == [8, 13, 18, 23] { return false }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let kinds = word.compactMap { byte -> Bool? in
      if digits.contains(byte) { return true }
      return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) ? false : nil
    }
    return zip(kinds, kinds.dropFirst()).count { $0 != $1 } >= 4
  }

  private static func isBearer(_ word: ArraySlice<UInt8>) -> Bool {
    word.count == 6 && zip(word, "bearer".utf8).allSatisfy { $0 | 0x20 == $1 }
  }

  /// The characters of a bearer token (RFC 6750, section 2.1) without `/`, so that a path is
  /// several words.
  static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "-._~+=".utf8.contains(byte)
    }
  }
}
