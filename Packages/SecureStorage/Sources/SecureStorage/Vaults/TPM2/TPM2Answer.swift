#if TPM2 && os(Linux)
internal import CTSS2

/// What a response code of the TPM, or of a layer above it, says.
enum TPM2Answer: Equatable, Sendable {
  /// Not now, but soon: busy, testing itself, or saving its memory from wear.
  case later
  /// Nobody has started it since it was switched on.
  case notStarted
  /// No room for one more object or session.
  case outOfSlots
  /// Another program has thrown out what was loaded, or put its own in the place of it.
  case displaced
  /// Nothing has that handle.
  case absent
  /// Something has that handle already.
  case taken
  /// No room for one more index in its lasting memory.
  case full
  /// A counter that was never counted up.
  case unwritten
  /// Another authorization value is needed.
  case unauthorized
  /// What was handed in is not its own, or makes no sense.
  case refused
  /// The owner's hierarchy is switched off.
  case disabled
  /// Too many failed attempts, by whomever.
  case lockedOut
  /// The answer was not the TPM's own, or was changed on the way.
  case forged
  /// No TPM at the other end.
  case unreachable
  /// Anything else.
  case failed

  init(_ code: TSS2_RC) {
    let layer = code >> 16 & 0xFF
    if layer == 0 || layer == TPM2Answer.resourceManagersTPMLayer {
      self = TPM2Answer.said(byTPM: code & 0xFFFF)
    } else if layer == TPM2Answer.connectionLayer {
      self = .unreachable
    } else {
      switch code & 0xFFFF {
      case UInt32(TSS2_BASE_RC_RSP_AUTH_FAILED), UInt32(TSS2_BASE_RC_MALFORMED_RESPONSE):
        self = .forged
      case UInt32(TSS2_BASE_RC_NO_CONNECTION), UInt32(TSS2_BASE_RC_IO_ERROR): self = .unreachable
      default: self = .failed
      }
    }
  }

  private static let connectionLayer: UInt32 = 10
  private static let resourceManagersTPMLayer: UInt32 = 12

  private static func said(byTPM code: UInt32) -> TPM2Answer {
    guard code & 0x80 != 0 else { return plain(code) }
    // The rest says which handle, session or parameter it is about.
    return switch code & 0xBF {
    case ctss2_rc_handle: .absent
    case ctss2_rc_hierarchy: .disabled
    case ctss2_rc_auth_fail, ctss2_rc_bad_auth: .unauthorized
    default: code & 0x40 != 0 ? .refused : .displaced
    }
  }

  private static func plain(_ code: UInt32) -> TPM2Answer {
    switch code {
    case ctss2_rc_retry, ctss2_rc_yielded, ctss2_rc_testing, ctss2_rc_nv_rate,
      ctss2_rc_nv_unavailable:
      .later
    case ctss2_rc_initialize: .notStarted
    case ctss2_rc_object_memory, ctss2_rc_session_memory, ctss2_rc_memory,
      ctss2_rc_session_handles:
      .outOfSlots
    case ctss2_rc_nv_defined: .taken
    case ctss2_rc_nv_space: .full
    case ctss2_rc_nv_uninitialized: .unwritten
    case ctss2_rc_nv_authorization: .unauthorized
    case ctss2_rc_disabled: .disabled
    case ctss2_rc_lockout: .lockedOut
    // Of a handle or session each.
    case ctss2_rc_reference_h0...ctss2_rc_reference_s6: .displaced
    default: .failed
    }
  }
}
#endif
