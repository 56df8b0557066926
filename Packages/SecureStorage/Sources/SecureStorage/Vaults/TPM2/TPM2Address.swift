#if TPM2 && os(Linux)
internal import Glibc

/// Where a TPM is, in the words of tss2: `device:/dev/tpmrm0`, `swtpm:path=…`.
struct TPM2Address: CustomStringConvertible, Sendable {
  /// The words; nil leaves the choice to tss2.
  let configuration: String?

  var description: String { configuration ?? "the system's default" }

  /// The address that was given, or the machine's own TPM.
  ///
  /// - Throws: `vaultUnavailable` where none was given and the machine has none: tss2 would go on
  ///   to look for a simulator, aloud.
  init(_ given: String?) throws(StorageError) {
    if let given {
      configuration = given
    } else if TPM2Address.hasDefault {
      configuration = nil
    } else if let device = TPM2Address.devices.first(where: { access($0, F_OK) == 0 }) {
      configuration = "device:\(device)"
    } else {
      throw TPM2Step.unavailable(
        "This machine has no TPM 2.0",
        advice: "Switch it on in the firmware's settings, name one by TSS2_TCTI, or use another "
          + "vault."
      )
    }
  }

  // With the resource manager first: the other one serves a single program at a time.
  private static let devices = ["/dev/tpmrm0", "/dev/tpm0"]

  /// Whether who set the machine up has chosen a default.
  private static var hasDefault: Bool {
    guard let library = dlopen("libtss2-tcti-default.so", RTLD_LAZY | RTLD_LOCAL) else {
      return false
    }
    dlclose(library)
    return true
  }

  /// Whether something gives each program the TPM to itself: the kernel behind this device, or the
  /// daemon that a system's default is.
  var hasResourceManager: Bool {
    guard let configuration else { return true }
    return configuration == "device:\(TPM2Address.devices[0])" || configuration == "device"
      || configuration.hasPrefix("tabrmd")
  }

  /// The socket of a software TPM, where it is one that has a name.
  var socketPath: String? {
    configuration?.split(separator: ":", maxSplits: 1).last?.split(separator: ",")
      .first { $0.hasPrefix("path=") }
      .map { String($0.dropFirst("path=".count)) }
  }

  /// Why there is no TPM at the address.
  var unreachable: StorageError {
    switch deviceFailure {
    case EACCES, EPERM:
      TPM2Step.unavailable(
        "The TPM at \(self) may not be used by this user",
        advice: "Add the user to the group tss (usermod -aG tss USER), and sign in anew."
      )
    case EBUSY:
      TPM2Step.unavailable(
        "Another program uses the TPM at \(self), and only one can",
        advice: "Name the device with the resource manager: TSS2_TCTI=device:/dev/tpmrm0."
      )
    default:
      TPM2Step.unavailable(
        "There is no TPM at \(self)",
        advice: "See whether it is running, and what TSS2_TCTI or TPM2TOOLS_TCTI names. Nothing "
          + "was changed."
      )
    }
  }

  /// What opening the device says; nil where the address is none.
  private var deviceFailure: CInt? {
    let scheme = "device:"
    guard let configuration, configuration.hasPrefix(scheme) else { return nil }
    let file = open(String(configuration.dropFirst(scheme.count)), O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return errno }
    close(file)
    return nil
  }
}
#endif
