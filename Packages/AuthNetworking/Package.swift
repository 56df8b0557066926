// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "AuthNetworking",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "AuthNetworking", targets: ["AuthNetworking"]),
    .library(name: "AuthNetworkingTesting", targets: ["AuthNetworkingTesting"]),
  ],
  dependencies: [
    .package(path: "../SecureStorage", traits: []),
    .package(path: "../SessionModels"),
    .package(path: "../SystemLibraries"),
  ],
  targets: [
    .target(
      name: "AuthNetworking",
      dependencies: [
        .product(name: "SecureStorage", package: "SecureStorage"),
        .product(name: "SessionModels", package: "SessionModels"),
        // The other Apple systems have no libcurl, and URLSessionTransport.
        .product(
          name: "CCurl",
          package: "SystemLibraries",
          condition: .when(platforms: [.linux, .android, .macOS])
        ),
        // To unpack answers: libcurl takes a packed body that breaks off for one that has ended.
        .product(
          name: "CZlib",
          package: "SystemLibraries",
          condition: .when(platforms: [.linux, .android, .macOS])
        ),
        // The library under libcurl's TLS there, to see a server's key and to write down no keys.
        .product(
          name: "COpenSSL",
          package: "SystemLibraries",
          condition: .when(platforms: [.linux, .android])
        ),
      ]
    ),
    .target(
      name: "AuthNetworkingTesting",
      dependencies: [
        "AuthNetworking",
        .product(name: "SecureStorage", package: "SecureStorage"),
        .product(name: "SessionModels", package: "SessionModels"),
        .product(name: "SessionModelsTesting", package: "SessionModels"),
      ]
    ),
    .testTarget(
      name: "AuthNetworkingTests",
      dependencies: [
        "AuthNetworking",
        "AuthNetworkingTesting",
        .product(name: "SecureStorage", package: "SecureStorage"),
        .product(name: "SecureStorageTesting", package: "SecureStorage"),
        .product(name: "SessionModels", package: "SessionModels"),
        .product(name: "SessionModelsTesting", package: "SessionModels"),
        .product(name: "COpenSSL", package: "SystemLibraries"),
        .product(name: "CZlib", package: "SystemLibraries"),
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
