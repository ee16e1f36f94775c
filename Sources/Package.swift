// swift-tools-version:6.2
import PackageDescription

// The SDK for plugins in Swift alone. It has no dependencies, so that a plugin is built without network.
// It is installed as it is, with the folders of its targets.
let swift: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "respool-sdk",
  products: [.library(name: "RespoolPlugin", targets: ["RespoolPlugin", "RespoolMedia"])],
  targets: [
    .target(name: "CRespool", path: "CRespool"),
    .target(
      name: "RespoolMedia", dependencies: ["CRespool"], path: "RespoolMedia", swiftSettings: swift),
    .target(name: "CRespoolEntry", dependencies: ["CRespool"], path: "CRespoolEntry"),
    .target(
      name: "RespoolPlugin", dependencies: ["RespoolMedia", "CRespool", "CRespoolEntry"],
      path: "RespoolPlugin", swiftSettings: swift),
  ],
  swiftLanguageModes: [.v6]
)
