/// What the command line says.
package struct Options: Sendable {
  /// Only measures whose name contains one of these; all where there is none.
  package var filters: [String] = []
  /// Where the stores are made.
  package var directory = "/var/tmp"
  /// How many entries the stores hold.
  package var entries = 100_000
  /// The cipher's name.
  package var cipher: String?
  /// Programs of others that print the same lines.
  package var externals: [String] = []

  /// The options of a command line, without those that are the caller's own.
  ///
  /// - Throws: ``Failure`` for one that is unknown, or lacks its value.
  package init(_ arguments: some Sequence<String>) throws {
    var rest = arguments.makeIterator()
    while let option = rest.next() {
      if option == "--json" { continue }
      guard let value = rest.next() else { throw Failure("\(option) is unknown, or lacks a value") }
      switch option {
      case "--filter": filters.append(value)
      case "--directory": directory = value
      case "--cipher": cipher = value
      case "--external": externals.append(value)
      case "--entries":
        guard let number = Int(value), (100...1_000_000).contains(number) else {
          throw Failure("--entries takes 100 to 1000000, not \(value)")
        }
        entries = number
      default: throw Failure("\(option) is unknown; see --help")
      }
    }
  }

  /// Whether a measure is asked for.
  package func includes(_ measure: String) -> Bool {
    filters.isEmpty || filters.contains { measure.contains($0) }
  }

  /// The options that another program of this package gets.
  package var forwarded: [String] {
    filters.flatMap { ["--filter", $0] } + ["--directory", directory, "--entries", "\(entries)"]
  }
}
