// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "Template",
  products: [
    // The file is librespool-Template.so.
    .library(name: "respool-Template", type: .dynamic, targets: ["Template"])
  ],
  dependencies: [.package(name: "respool", path: "../../..")],
  targets: [
    .target(
      name: "Template", dependencies: [.product(name: "RespoolPlugin", package: "respool")],
      linkerSettings: [
        .unsafeFlags([
          // Export the entry alone; fail here, not at loading, where a library is missing; stay
          // loaded, for a Swift image cannot be unloaded.
          "-Xlinker", "--version-script=\(Context.packageDirectory)/plugin.map",
          "-Xlinker", "-z", "-Xlinker", "defs", "-Xlinker", "-z", "-Xlinker", "nodelete",
        ])
      ])
  ]
)
