/// Views of some namespaces, each there once at most.
struct NamespaceViews: Sendable {
  /// So many leaves are kept from one transaction to the next; a longer list is read again.
  fileprivate static let mostLeaves = 64

  // Few: most transactions know one or two.
  private var views: [NamespaceView] = []

  var namespaces: [StoreNamespace] {
    views.map(\.namespace).sorted { $0.rawValue < $1.rawValue }
  }

  mutating func put(_ view: NamespaceView) {
    if let index = index(of: view.namespace) { views[index] = view } else { views.append(view) }
  }

  mutating func take(_ namespace: StoreNamespace) -> NamespaceView? {
    index(of: namespace).map { views.remove(at: $0) }
  }

  /// Takes out all of them.
  mutating func takeAll() -> NamespaceViews {
    var all = NamespaceViews()
    swap(&all, &self)
    return all
  }

  /// These views, with those of others in place of their own, less those that are too big.
  func merged(with others: NamespaceViews) -> NamespaceViews {
    var merged = others
    for view in views where others.index(of: view.namespace) == nil { merged.put(view) }
    if merged.views.contains(where: { $0.isBig }) { merged.views.removeAll { $0.isBig } }
    return merged
  }

  private func index(of namespace: StoreNamespace) -> Int? {
    views.firstIndex { $0.namespace == namespace }
  }
}

extension NamespaceView {
  fileprivate var isBig: Bool { leavesInMemory > NamespaceViews.mostLeaves }
}
