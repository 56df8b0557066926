extension ServerRequest {
  /// Whether `DELETE …/sessions` leaves the session that asks alone: `?keep=current`.
  ///
  /// - Throws: ``ServiceFailure/validation(_:)`` for any other value or more than one, for a wrong
  ///   guess would sign out what was to stay.
  var keepsCurrentSession: Bool {
    get throws {
      switch query["keep"] {
      case nil: return false
      case "current" where !repeatedParameters.contains("keep"): return true
      default:
        throw ServiceFailure.validation([
          FieldFault(field: "keep", message: "keep must be current, or left out")
        ])
      }
    }
  }
}
