import BenchKit

/// Prints the comparison's lines for LMDB.
@main enum BenchLMDB {
  static func main() async { await Comparison<LMDBStore>.main() }
}
