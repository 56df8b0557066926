// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Realtime",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "HTTP2", targets: ["HTTP2"]),
    .library(name: "ByteStream", targets: ["ByteStream"]),
    .library(name: "GRPC", targets: ["GRPC"]),
    .library(name: "ProtobufWire", targets: ["ProtobufWire"]),
    .library(name: "Realtime", targets: ["Realtime"]),
    .library(name: "RealtimeTesting", targets: ["RealtimeTesting"]),
  ],
  dependencies: [
    .package(path: "../SessionModels"),
    .package(path: "../SystemLibraries"),
  ],
  targets: [
    .target(
      name: "HTTP2",
      dependencies: [.product(name: "CNghttp2", package: "SystemLibraries")]
    ),
    .target(
      name: "ByteStream",
      dependencies: [
        .product(name: "COpenSSL", package: "SystemLibraries"),
        .product(name: "CEventLoop", package: "SystemLibraries"),
      ]
    ),
    .target(
      name: "GRPC",
      dependencies: [
        "HTTP2",
        "ByteStream",
        .product(name: "Secrets", package: "SessionModels"),
        .product(name: "CZlib", package: "SystemLibraries"),
      ]
    ),
    .target(name: "ProtobufWire"),
    .target(
      name: "Realtime",
      dependencies: [
        "GRPC",
        "ProtobufWire",
      ]
    ),
    .target(
      name: "RealtimeTesting",
      dependencies: [
        "Realtime",
        "GRPC",
        "ProtobufWire",
        .product(name: "Secrets", package: "SessionModels"),
      ]
    ),
    .testTarget(
      name: "RealtimeTests",
      dependencies: [
        "ByteStream",
        "GRPC",
        "HTTP2",
        "ProtobufWire",
        "Realtime",
        "RealtimeTesting",
        .product(name: "Secrets", package: "SessionModels"),
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
