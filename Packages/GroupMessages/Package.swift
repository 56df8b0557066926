// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "GroupMessages",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    .library(name: "GroupMessages", targets: ["GroupMessages"])
  ],
  dependencies: [
    .package(path: "../SessionModels")
  ],
  targets: [
    .target(
      name: "GroupMessages",
      dependencies: [
        .product(name: "SessionModels", package: "SessionModels")
      ]
    ),
    .testTarget(
      name: "GroupMessagesTests",
      dependencies: [
        "GroupMessages",
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
