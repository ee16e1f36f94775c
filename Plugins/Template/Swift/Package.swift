// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "Template",
  products: [
    // The file is librespool-Template.so.
    .library(name: "respool-Template", type: .dynamic, targets: ["TemplateModule"])
  ],
  // The SDK that is installed with respool. It has no dependencies, so that building needs no network.
  dependencies: [.package(name: "respool-sdk", path: "../../..")],
  targets: [
    .target(
      // A module may not have the name of a keyword or of a module of the SDK.
      name: "TemplateModule",
      dependencies: [.product(name: "RespoolPlugin", package: "respool-sdk")],
      linkerSettings: [
        .unsafeFlags([
          // Export only the entry. If a library is missing, fail when linking, not when loading.
          // Stay loaded, because a Swift image cannot be unloaded.
          "-Xlinker", "--version-script=\(Context.packageDirectory)/plugin.map",
          "-Xlinker", "-z", "-Xlinker", "defs", "-Xlinker", "-z", "-Xlinker", "nodelete",
        ])
      ])
  ]
)
