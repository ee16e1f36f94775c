// swift-tools-version:6.2
import PackageDescription

// A plugin outside of Respool's own package, as its author would keep it; the tests build it in a copy
// of this folder.
let package = Package(
  name: "Shout",
  products: [.library(name: "respool-Shout", type: .dynamic, targets: ["Shout"])],
  dependencies: [.package(name: "respool", path: Context.environment["RESPOOL_SDK"] ?? "../../..")],
  targets: [
    .target(
      name: "Shout", dependencies: [.product(name: "RespoolPlugin", package: "respool")],
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker", "--version-script=\(Context.packageDirectory)/plugin.map",
          "-Xlinker", "-z", "-Xlinker", "defs", "-Xlinker", "-z", "-Xlinker", "nodelete",
        ])
      ])
  ]
)
