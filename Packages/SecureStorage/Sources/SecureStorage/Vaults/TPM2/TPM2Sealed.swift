#if TPM2 && os(Linux)
/// A secret as a TPM hands it out: only the TPM that sealed it can open it.
struct TPM2Sealed: Equatable, Sendable {
  let publicPart: [UInt8]
  let privatePart: [UInt8]
}
#endif
