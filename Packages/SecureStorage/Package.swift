// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SecureStorage",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "SecureStorage", targets: ["SecureStorage"]),
    .library(name: "SecureStorageTesting", targets: ["SecureStorageTesting"]),
  ],
  // Vaults that need a library of the system's. Without a trait its vault is not built, and its name
  // is answered with what to do.
  traits: [
    .trait(name: "SecretService", description: "Keys in the desktop's keyring, by libsecret"),
    .trait(name: "KernelKeyring", description: "Keys in the kernel's keyring, by libkeyutils"),
    .trait(name: "TPM2", description: "Keys sealed by a TPM 2.0, by tss2-esys"),
    .default(enabledTraits: ["SecretService", "KernelKeyring", "TPM2"]),
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
        .product(
          name: "CSecret",
          package: "SystemLibraries",
          condition: .when(platforms: [.linux], traits: ["SecretService"])
        ),
        .product(
          name: "CKeyutils",
          package: "SystemLibraries",
          condition: .when(platforms: [.linux], traits: ["KernelKeyring"])
        ),
        .product(
          name: "CTSS2",
          package: "SystemLibraries",
          condition: .when(platforms: [.linux], traits: ["TPM2"])
        ),
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
      ],
      exclude: ["Golden"]
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
