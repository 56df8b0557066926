/// Views of some namespaces, each there once at most.
struct NamespaceViews: Sendable {
  /// So many leaves are kept from one transaction to the next; a longer list is read again.
  private static let leaves = 64

  // By the namespace's number; 0 is not used.
  private var views = [NamespaceView?](repeating: nil, count: Int(StoreNamespace.count) + 1)

  var namespaces: [StoreNamespace] { views.compactMap { $0?.namespace } }

  mutating func put(_ view: NamespaceView) { views[Int(view.namespace.rawValue)] = view }

  mutating func take(_ namespace: StoreNamespace) -> NamespaceView? {
    var view: NamespaceView?
    swap(&view, &views[Int(namespace.rawValue)])
    return view
  }

  /// These views, with those of others in place of their own, less those that are too big.
  func merged(with others: NamespaceViews) -> NamespaceViews {
    var merged = self
    for (index, view) in others.views.enumerated() where view != nil { merged.views[index] = view }
    for (index, view) in merged.views.enumerated() {
      if let view, view.leavesInMemory > NamespaceViews.leaves { merged.views[index] = nil }
    }
    return merged
  }
}
