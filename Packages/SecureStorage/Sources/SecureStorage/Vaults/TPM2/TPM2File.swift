#if TPM2 && os(Linux)
/// The content of a TPM vault's file: what the TPM sealed, under which key, and its counter.
///
/// ```
/// "SSTV" | version 1 | S(name of the parent) | S(public) | S(private) | handle u32 | tag 32
/// ```
struct TPM2File: Equatable {
  private static let magic = Array("SSTV".utf8)
  private static let version: UInt8 = 1

  /// The name of the key that it is sealed under, which no other TPM has.
  var parent: [UInt8]
  var sealed: TPM2Sealed
  var counter: TPM2Counter

  init(parent: [UInt8], sealed: TPM2Sealed, counter: TPM2Counter) {
    self.parent = parent
    self.sealed = sealed
    self.counter = counter
  }

  /// Reads the content of the file at a path.
  ///
  /// - Throws: `keyLost`, `newerFormat`.
  init(_ content: [UInt8], path: String) throws(StorageError) {
    var reader = ByteReader(content)
    guard reader.raw(TPM2File.magic.count).map(Array.init) == TPM2File.magic,
      let version = reader.number(UInt8.self)
    else { throw .keyLost("The key file \(path) is not one of a TPM") }
    guard version == TPM2File.version else {
      throw .newerFormat("The key file \(path) has a newer format")
    }
    guard let parent = reader.short(), let publicPart = reader.short(),
      let privatePart = reader.short(), let handle = reader.number(UInt32.self),
      let tag = reader.raw(TPM2Counter.tagLength), reader.isAtEnd
    else { throw .keyLost("The key file \(path) is damaged") }
    self.init(
      parent: Array(parent),
      sealed: TPM2Sealed(publicPart: Array(publicPart), privatePart: Array(privatePart)),
      counter: TPM2Counter(handle: handle, tag: Array(tag))
    )
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 512)
    writer.raw(TPM2File.magic)
    writer.number(TPM2File.version)
    writer.short(parent)
    writer.short(sealed.publicPart)
    writer.short(sealed.privatePart)
    writer.number(counter.handle)
    writer.raw(counter.tag)
    return writer.bytes
  }
}
#endif
