/// Input that is wrong before any network is asked: one message for each field.
public struct ValidationError: Error, Equatable, Sendable {
  /// What is wrong, by field, in the order of the form, and never empty.
  public let faults: [Fault]

  /// One field and what is wrong with it.
  public struct Fault: Equatable, Sendable {
    /// Which field.
    public let field: InputField
    /// What is wrong.
    public let problem: InputProblem

    /// A fault from its parts.
    public init(field: InputField, problem: InputProblem) {
      self.field = field
      self.problem = problem
    }
  }

  /// An error of one fault.
  public init(_ field: InputField, _ problem: InputProblem) {
    faults = [Fault(field: field, problem: problem)]
  }

  fileprivate init(faults: [Fault]) { self.faults = faults }
}

extension ValidationError: CustomStringConvertible {
  /// All messages in one line.
  public var description: String {
    faults.map { "\($0.field.rawValue): \($0.problem.message)" }.joined(separator: "; ")
  }
}

extension ValidationError {
  /// Collects what is wrong, one problem a field.
  struct Faults {
    private var faults: [Fault] = []

    mutating func check(_ field: InputField, _ isMet: Bool, _ problem: InputProblem) {
      if !isMet { faults.append(Fault(field: field, problem: problem)) }
    }

    func throwIfAny() throws(ValidationError) {
      if !faults.isEmpty { throw ValidationError(faults: faults) }
    }
  }
}
