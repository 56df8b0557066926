// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SecureStorage",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "SecureStorage", targets: ["SecureStorage"]),
    .library(name: "SecureStorageTesting", targets: ["SecureStorageTesting"]),
  ],
  dependencies: [
    .package(path: "../SessionModels"),
    .package(path: "../SystemLibraries"),
  ],
  targets: [
    .target(
      name: "SecureStorage",
      dependencies: [
        .product(name: "SessionModels", package: "SessionModels"),
        .product(name: "CSodium", package: "SystemLibraries"),
        .product(name: "CSQLite", package: "SystemLibraries"),
        .product(name: "CEventLoop", package: "SystemLibraries"),
      ]
    ),
    .target(
      name: "SecureStorageTesting",
      dependencies: [
        "SecureStorage",
        .product(name: "SessionModels", package: "SessionModels"),
      ]
    ),
    .testTarget(
      name: "SecureStorageTests",
      dependencies: [
        "SecureStorage",
        "SecureStorageTesting",
        .product(name: "SessionModels", package: "SessionModels"),
        .product(name: "SessionModelsTesting", package: "SessionModels"),
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
