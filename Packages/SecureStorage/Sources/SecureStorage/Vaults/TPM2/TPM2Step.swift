#if TPM2 && os(Linux)
internal import CTSS2

/// What was asked of the TPM, for the error that says what it would not do.
enum TPM2Step: String, Sendable {
  case start = "start"
  case lookAround = "say what it holds"
  case makeParent = "make its storage key"
  case startSession = "start a session"
  case seal = "seal the key"
  case load = "load the sealed key"
  case unseal = "unseal the key"
  case makeCounter = "make a counter"
  case count = "count"
  case readCounter = "read its counter"
  case removeCounter = "remove its counter"

  /// Whether it takes the authorization of the owner's hierarchy.
  var isOwners: Bool { [.makeParent, .makeCounter, .removeCounter].contains(self) }

  /// The error for a step that was not answered with success.
  func error(_ answer: TPM2Answer, _ code: TSS2_RC, _ address: TPM2Address) -> StorageError {
    let number = String(code, radix: 16)
    let said = "The TPM at \(address) would not \(rawValue) (code 0x\(number))"
    return switch answer {
    case .unreachable:
      TPM2Step.unavailable(
        "The TPM at \(address) does not answer any more",
        advice: "See whether it is running, and try again. Nothing is lost."
      )
    case .later:
      TPM2Step.unavailable(
        "The TPM at \(address) has been busy for too long",
        advice: "Try again in a minute. Nothing is lost."
      )
    case .unauthorized:
      TPM2Step.unavailable(
        "\(said): its owner hierarchy has a password",
        advice: "Take the password away (tpm2_changeauth), or use another vault."
      )
    case .disabled:
      TPM2Step.unavailable(
        "\(said): it is switched off",
        advice: "Switch the TPM and its storage hierarchy on in the firmware's settings, or use "
          + "another vault."
      )
    case .full:
      TPM2Step.unavailable(
        "\(said): its lasting memory is full",
        advice: "Remove an index that nothing needs (tpm2_getcap handles-nv-index, "
          + "tpm2_nvundefine), or use another vault."
      )
    case .outOfSlots:
      TPM2Step.unavailable(
        "\(said): it has no room left for objects and sessions",
        advice: "End the programs that use it (or tpm2_flushcontext), and try again."
      )
    case .lockedOut:
      TPM2Step.unavailable(
        "\(said): too many wrong passwords were tried on it",
        advice: "Wait until its lockout ends, or reset it (tpm2_dictionarylockout)."
      )
    case .displaced:
      TPM2Step.unavailable(
        "\(said): other programs got in its way",
        advice: "Use it through its resource manager (device:/dev/tpmrm0), or try again later. "
          + "Nothing is lost."
      )
    case .forged:
      TPM2Step.unavailable(
        "\(said): the answer did not come from it unchanged",
        advice: "Something sits between this program and the TPM: see what TSS2_TCTI names."
      )
    case .notStarted, .absent, .taken, .unwritten, .refused, .failed:
      TPM2Step.unavailable(
        said,
        advice: "Try again; if it stays so, restart the machine or use another vault."
      )
    }
  }

  static func unavailable(_ message: String, advice: String) -> StorageError {
    StorageError(.vaultUnavailable, message, advice: advice)
  }
}
#endif
