// swift-tools-version: 6.2
import PackageDescription

// The root composes the packages and runs every package's tests in one build. Each `mirror`
// repeats a test target that its own package also declares: SwiftPM builds test targets of the
// root package only. `Tools/check` fails when a mirror and its original differ.

func product(_ name: String, _ package: String? = nil) -> Target.Dependency {
  .product(name: name, package: package ?? name)
}

func mirror(
  _ testTarget: String,
  in folder: String,
  _ dependencies: [Target.Dependency],
  excluding exclude: [String] = []
) -> Target {
  .testTarget(
    name: testTarget,
    dependencies: dependencies,
    path: "\(folder)/Tests/\(testTarget)",
    exclude: exclude
  )
}

let vaults = Set(
  ["SecretService", "KernelKeyring", "TPM2"].map {
    Package.Dependency.Trait.trait(name: $0, condition: .when(traits: [$0]))
  }
)

let package = Package(
  name: "MobileAuthCore",
  platforms: [.iOS(.v18), .macOS(.v15)],
  // SecureStorage's, so that its tests here are the tests it has alone.
  traits: [
    "SecretService", "KernelKeyring", "TPM2",
    .default(enabledTraits: ["SecretService", "KernelKeyring", "TPM2"]),
  ],
  dependencies: [
    .package(path: "Packages/SystemLibraries"),
    .package(path: "Packages/SessionModels"),
    .package(path: "Packages/SecureStorage", traits: vaults),
    .package(path: "Packages/AuthNetworking"),
    .package(path: "Packages/Realtime"),
    .package(path: "Packages/GroupMessages"),
    .package(path: "Apps/HeadlessClient", traits: vaults),
    .package(path: "Tools/DevBackend"),
  ],
  targets: [
    mirror(
      "SystemLibrariesTests",
      in: "Packages/SystemLibraries",
      [
        "CSodium", "CSQLite", "CZlib", "CCurl", "CNghttp2", "COpenSSL", "CMicrohttpd",
        "CPostgreSQL", "CHiredis", "CEventLoop", "CSecret", "CKeyutils", "CTSS2",
      ]
      .map {
        product($0, "SystemLibraries")
      }
    ),
    mirror(
      "SessionModelsTests",
      in: "Packages/SessionModels",
      [product("SessionModels"), product("SessionModelsTesting", "SessionModels")]
    ),
    mirror(
      "SecureStorageTests",
      in: "Packages/SecureStorage",
      [
        product("SecureStorage"), product("SecureStorageTesting", "SecureStorage"),
        product("SessionModels"), product("SessionModelsTesting", "SessionModels"),
      ],
      excluding: ["Golden"]
    ),
    mirror(
      "AuthNetworkingTests",
      in: "Packages/AuthNetworking",
      [
        product("AuthNetworking"), product("AuthNetworkingTesting", "AuthNetworking"),
        product("SecureStorage"), product("SecureStorageTesting", "SecureStorage"),
        product("SessionModels"), product("SessionModelsTesting", "SessionModels"),
        product("COpenSSL", "SystemLibraries"), product("CZlib", "SystemLibraries"),
      ]
    ),
    mirror(
      "RealtimeTests",
      in: "Packages/Realtime",
      ["ByteStream", "GRPC", "HTTP2", "ProtobufWire", "Realtime", "RealtimeTesting"].map {
        product($0, "Realtime")
      } + [product("Secrets", "SessionModels")]
    ),
    mirror(
      "GroupMessagesTests",
      in: "Packages/GroupMessages",
      [
        product("GroupMessages"), product("SessionModels"),
        product("SessionModelsTesting", "SessionModels"),
      ]
    ),
    mirror(
      "HeadlessClientTests",
      in: "Apps/HeadlessClient",
      [
        product("HeadlessClient"), product("AuthNetworking"), product("GroupMessages"),
        product("GRPC", "Realtime"), product("SecureStorage"), product("SessionModels"),
        product("SessionModelsTesting", "SessionModels"),
      ]
    ),
    mirror(
      "DevBackendTests",
      in: "Tools/DevBackend",
      [
        product("DevBackend"), product("DevBackendCluster", "DevBackend"),
        product("DevBackendLoad", "DevBackend"),
        product("dev-backend", "DevBackend"),
        product("GRPC", "Realtime"), product("ProtobufWire", "Realtime"),
      ]
    ),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        product("HeadlessClient"), product("headless-client", "HeadlessClient"),
        product("DevBackend"), product("dev-backend", "DevBackend"),
        product("AuthNetworking"), product("GroupMessages"), product("GRPC", "Realtime"),
        product("Realtime"), product("SecureStorage"), product("SessionModels"),
        product("SessionModelsTesting", "SessionModels"),
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
