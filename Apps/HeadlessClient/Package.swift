// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "HeadlessClient",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .executable(name: "headless-client", targets: ["headless-client"]),
    .library(name: "HeadlessClient", targets: ["HeadlessClient"]),
  ],
  // SecureStorage's optional vaults; a build without one says so where its name is used.
  traits: [
    "SecretService", "KernelKeyring", "TPM2",
    .default(enabledTraits: ["SecretService", "KernelKeyring", "TPM2"]),
  ],
  dependencies: [
    .package(path: "../../Packages/SessionModels"),
    .package(
      path: "../../Packages/SecureStorage",
      traits: [
        .trait(name: "SecretService", condition: .when(traits: ["SecretService"])),
        .trait(name: "KernelKeyring", condition: .when(traits: ["KernelKeyring"])),
        .trait(name: "TPM2", condition: .when(traits: ["TPM2"])),
      ]
    ),
    .package(path: "../../Packages/AuthNetworking"),
    .package(path: "../../Packages/Realtime"),
    .package(path: "../../Packages/GroupMessages"),
    .package(path: "../../Tools/DevBackend"),
  ],
  targets: [
    .target(
      name: "HeadlessClient",
      dependencies: [
        .product(name: "AuthNetworking", package: "AuthNetworking"),
        .product(name: "GroupMessages", package: "GroupMessages"),
        .product(name: "GRPC", package: "Realtime"),
        .product(name: "Realtime", package: "Realtime"),
        .product(name: "SecureStorage", package: "SecureStorage"),
        .product(name: "SessionModels", package: "SessionModels"),
      ]
    ),
    .executableTarget(
      name: "headless-client",
      dependencies: [
        "HeadlessClient",
        .product(name: "AuthNetworking", package: "AuthNetworking"),
        .product(name: "DevBackend", package: "DevBackend"),
        .product(name: "SessionModels", package: "SessionModels"),
      ]
    ),
    .testTarget(
      name: "HeadlessClientTests",
      dependencies: [
        "HeadlessClient",
        .product(name: "AuthNetworking", package: "AuthNetworking"),
        .product(name: "GroupMessages", package: "GroupMessages"),
        .product(name: "GRPC", package: "Realtime"),
        .product(name: "SecureStorage", package: "SecureStorage"),
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
