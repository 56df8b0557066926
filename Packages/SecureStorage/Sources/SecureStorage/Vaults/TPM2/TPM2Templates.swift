#if TPM2 && os(Linux)
internal import CTSS2

extension TPM2B_PUBLIC {
  /// TCG's template for a storage root key on the curve P-256.
  static let storageKey: TPM2B_PUBLIC = {
    var key = TPM2B_PUBLIC()
    key.publicArea.type = ctss2_alg_ecc
    key.publicArea.nameAlg = ctss2_alg_sha256
    key.publicArea.objectAttributes = ctss2_storage_key_attributes
    key.publicArea.parameters.eccDetail.symmetric.algorithm = ctss2_alg_aes
    key.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
    key.publicArea.parameters.eccDetail.symmetric.mode.aes = ctss2_alg_cfb
    key.publicArea.parameters.eccDetail.scheme.scheme = ctss2_alg_null
    key.publicArea.parameters.eccDetail.curveID = ctss2_ecc_p256
    key.publicArea.parameters.eccDetail.kdf.scheme = ctss2_alg_null
    return key
  }()

  /// Sealed data.
  static let sealedData: TPM2B_PUBLIC = {
    var data = TPM2B_PUBLIC()
    data.publicArea.type = ctss2_alg_keyedhash
    data.publicArea.nameAlg = ctss2_alg_sha256
    data.publicArea.objectAttributes = ctss2_sealed_attributes
    data.publicArea.parameters.keyedHashDetail.scheme.scheme = ctss2_alg_null
    return data
  }()

  /// The same without what tells one key of a template from another.
  var template: TPM2B_PUBLIC {
    var template = self
    template.size = 0
    template.publicArea.unique.ecc = TPMS_ECC_POINT()
    return template
  }
}

extension TPM2B_DIGEST {
  /// Up to 64 bytes: a digest, an authorization value.
  init(_ bytes: some Collection<UInt8>) {
    self.init()
    size = UInt16(bytes.count)
    withUnsafeMutableBytes(of: &buffer) { $0.copyBytes(from: bytes) }
  }

  var bytes: [UInt8] { withUnsafeBytes(of: buffer) { Array($0.prefix(Int(size))) } }
}

extension TPMS_NV_PUBLIC {
  init(_ counter: TPM2Counter) {
    self.init()
    nvIndex = counter.handle
    nameAlg = ctss2_alg_sha256
    attributes = ctss2_counter_attributes
    authPolicy = TPM2B_DIGEST(counter.tag)
    dataSize = 8
  }
}
#endif
