// swift-tools-version: 6.2
import PackageDescription

/// One C target per system library: the library's own header, plus `static inline` shims for
/// what Swift cannot import (variadic functions, function-like and cast macros).
func systemLibrary(_ name: String, linking libraries: String...) -> Target {
  .target(
    name: name,
    cSettings: [.treatAllWarnings(as: .error)],
    linkerSettings: libraries.map { .linkedLibrary($0) }
  )
}

let modules: [Target] = [
  systemLibrary("CSodium", linking: "sodium"),
  systemLibrary("CSQLite", linking: "sqlite3"),
  systemLibrary("CZlib", linking: "z"),
  systemLibrary("CCurl", linking: "curl"),
  systemLibrary("CNghttp2", linking: "nghttp2"),
  systemLibrary("COpenSSL", linking: "ssl", "crypto"),
  systemLibrary("CMicrohttpd", linking: "microhttpd"),
  systemLibrary("CPostgreSQL", linking: "pq"),
  systemLibrary("CHiredis", linking: "hiredis"),
  systemLibrary("CEventLoop"),
  // Loaded when first used, not linked: a program starts, and quickly, where they are missing.
  systemLibrary("CSecret"),
  systemLibrary("CKeyutils"),
  systemLibrary("CTSS2"),
]

let package = Package(
  name: "SystemLibraries",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: modules.map { .library(name: $0.name, targets: [$0.name]) },
  targets: modules + [
    .testTarget(
      name: "SystemLibrariesTests",
      dependencies: modules.map { .byName(name: $0.name) }
    )
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c17
)

// ---    STANDARD SETTINGS: the same in every manifest, checked by Tools/check   --- //
for target in package.targets where [.regular, .executable, .test].contains(target.type) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
      .treatAllWarnings(as: .error),
    ]
}
// ---    END STANDARD SETTINGS   --- //
