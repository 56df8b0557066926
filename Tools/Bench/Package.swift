// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Bench",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .executable(name: "bench", targets: ["bench"]),
    .executable(name: "bench-sqlcipher", targets: ["bench-sqlcipher"]),
    .executable(name: "bench-lmdb", targets: ["bench-lmdb"]),
    .executable(name: "bench-start", targets: ["bench-start"]),
    .executable(name: "bench-realtime", targets: ["bench-realtime"]),
    .executable(name: "bench-packing-server", targets: ["bench-packing-server"]),
  ],
  dependencies: [
    .package(path: "../../Packages/AuthNetworking"),
    .package(path: "../../Packages/GroupMessages"),
    .package(path: "../../Packages/Realtime"),
    .package(path: "../../Packages/SecureStorage"),
    .package(path: "../../Packages/SessionModels"),
    .package(path: "../../Packages/SystemLibraries"),
    .package(path: "../DevBackend"),
  ],
  targets: [
    .target(name: "BenchKit"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "BenchKit",
        "CAllocations",
        .product(name: "AuthNetworking", package: "AuthNetworking"),
        .product(name: "GroupMessages", package: "GroupMessages"),
        .product(name: "SecureStorage", package: "SecureStorage"),
        .product(name: "SessionModels", package: "SessionModels"),
        .product(name: "CCurl", package: "SystemLibraries"),
        .product(name: "CEventLoop", package: "SystemLibraries"),
        .product(name: "CSodium", package: "SystemLibraries"),
        .product(name: "DevBackendLoad", package: "DevBackend"),
        .product(name: "GRPC", package: "Realtime"),
        .product(name: "ProtobufWire", package: "Realtime"),
      ]
    ),
    // A program of its own: Foundation alone costs as much to load as is measured here.
    .executableTarget(
      name: "bench-start",
      dependencies: [
        .product(name: "AuthNetworking", package: "AuthNetworking"),
        .product(name: "SecureStorage", package: "SecureStorage"),
        .product(name: "SessionModels", package: "SessionModels"),
      ]
    ),
    // Programs of their own: what a client costs is asked of its process.
    .executableTarget(
      name: "bench-realtime",
      dependencies: [.product(name: "GRPC", package: "Realtime")]
    ),
    .executableTarget(
      name: "bench-packing-server",
      cSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("nghttp2")]
    ),
    .target(name: "CAllocations", cSettings: [.treatAllWarnings(as: .error)]),
    // Programs of their own: SQLCipher exports the symbols of SQLite.
    .executableTarget(name: "bench-sqlcipher", dependencies: ["BenchKit", "CSQLCipher"]),
    .executableTarget(name: "bench-lmdb", dependencies: ["BenchKit", "CLMDB"]),
    .target(
      name: "CSQLCipher",
      cSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("sqlcipher")]
    ),
    .target(
      name: "CLMDB",
      cSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("lmdb")]
    ),
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
