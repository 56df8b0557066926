// swift-tools-version: 6.2
import PackageDescription

// Programs for libFuzzer; `Tools/fuzz` builds and runs them. A package of its own, so that nobody
// else's build is instrumented.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../../Packages/Realtime")],
  targets: [
    .executableTarget(
      name: "fuzz-frames",
      dependencies: [.product(name: "HTTP2", package: "Realtime")]
    ),
    .executableTarget(
      name: "fuzz-framing",
      dependencies: [
        .product(name: "GRPC", package: "Realtime"), .product(name: "HTTP2", package: "Realtime"),
      ]
    ),
    .executableTarget(
      name: "fuzz-protobuf",
      dependencies: [.product(name: "ProtobufWire", package: "Realtime")]
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
