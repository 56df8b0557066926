// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "DevBackend",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .executable(name: "dev-backend", targets: ["dev-backend"]),
    .library(name: "DevBackend", targets: ["DevBackend"]),
    .library(name: "DevBackendCluster", targets: ["DevBackendCluster"]),
    .library(name: "DevBackendLoad", targets: ["DevBackendLoad"]),
  ],
  dependencies: [
    .package(path: "../../Packages/Realtime"),
    .package(path: "../../Packages/SystemLibraries"),
  ],
  targets: [
    .target(
      name: "DevBackend",
      dependencies: [
        .product(name: "ByteStream", package: "Realtime"),
        .product(name: "GRPC", package: "Realtime"),
        .product(name: "ProtobufWire", package: "Realtime"),
        .product(name: "CMicrohttpd", package: "SystemLibraries"),
        .product(name: "CSQLite", package: "SystemLibraries"),
        .product(name: "CSodium", package: "SystemLibraries"),
      ]
    ),
    // Of its own, so that a program that embeds the backend needs neither libpq nor hiredis.
    .target(
      name: "DevBackendCluster",
      dependencies: [
        "DevBackend",
        .product(name: "CHiredis", package: "SystemLibraries"),
        .product(name: "CPostgreSQL", package: "SystemLibraries"),
      ]
    ),
    // Clients in great number, for tests and Tools/Bench.
    .target(name: "DevBackendLoad"),
    .executableTarget(
      name: "dev-backend",
      dependencies: [
        "DevBackend",
        "DevBackendCluster",
      ]
    ),
    .testTarget(
      name: "DevBackendTests",
      dependencies: [
        "DevBackend",
        "DevBackendCluster",
        "DevBackendLoad",
        "dev-backend",
        .product(name: "GRPC", package: "Realtime"),
        .product(name: "ProtobufWire", package: "Realtime"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
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
