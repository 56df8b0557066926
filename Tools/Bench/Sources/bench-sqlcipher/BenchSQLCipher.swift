import BenchKit

/// Prints the comparison's lines for SQLCipher.
@main enum BenchSQLCipher {
  static func main() async { await Comparison<SQLCipherStore>.main() }
}
