import Foundation

/// One measured figure, beside what the machine itself needs for it; printed as a line of JSON.
package struct Measurement: Encodable, Sendable {
  /// What was measured: `session.durable`.
  package let measure: String
  /// Which store.
  package let store: String
  /// The figure: the median where there are many samples.
  package let value: Double
  /// What the figures are: `ns`, `values/s`, `MiB`.
  package let unit: String
  /// The median of the samples.
  package let p50: Double?
  /// What 99 of 100 samples stay within.
  package let p99: Double?
  /// What the machine needs for the same, measured in the same run.
  package let reference: String?
  /// The reference's figure, in the same unit.
  package let referenceValue: Double?
  /// The value by that of the reference.
  package let ratio: Double?
  /// What is wanted.
  package let target: String?
  /// Whether it is reached.
  package let met: Bool?

  /// A single figure, or the median of some samples, with the targets that it should reach.
  package init(
    _ measure: String,
    of store: String,
    value: Double? = nil,
    samples: Samples? = nil,
    unit: String,
    reference: Reference? = nil,
    targets: [Target] = []
  ) {
    self.measure = measure
    self.store = store
    self.value = Measurement.rounded(value ?? samples?.percentile(50) ?? .nan)
    self.unit = unit
    p50 = samples.map { Measurement.rounded($0.percentile(50)) }
    p99 = samples.map { Measurement.rounded($0.percentile(99)) }
    self.reference = reference?.what
    referenceValue = reference.map { Measurement.rounded($0.value) }
    let value = self.value
    ratio = reference.map { Measurement.rounded(value / $0.value) }
    let figures: [Target.Figure: Double?] = [
      .value: value, .p50: p50, .p99: p99, .ratio: ratio,
    ]
    target = targets.isEmpty ? nil : targets.map(\.description).joined(separator: ", ")
    met = targets.isEmpty ? nil : targets.allSatisfy { $0.isReached(by: figures) }
  }

  /// Three digits are more than a run repeats.
  private static func rounded(_ value: Double) -> Double {
    guard value.isFinite, value != 0 else { return value }
    let scale = pow(10, 3 - ceil(log10(abs(value))))
    return scale >= 1 ? (value * scale).rounded() / scale : value.rounded()
  }
}

/// What the machine itself needs for the same work.
package struct Reference: Sendable {
  let what: String
  let value: Double

  /// A reference from its parts.
  package init(_ what: String, _ value: Double) {
    self.what = what
    self.value = value
  }
}
