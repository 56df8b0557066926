/// A row that was found in a damaged database.
struct SalvagedRow: Equatable {
  let space: UInt8
  let name: [UInt8]
  let value: [UInt8]

  var rowName: RowName { RowName(space: space, bytes: name) }

  static func isOrdered(_ left: SalvagedRow, _ right: SalvagedRow) -> Bool {
    left.space != right.space
      ? left.space < right.space : left.name.lexicographicallyPrecedes(right.name)
  }
}
