// swift-tools-version:6.2
import PackageDescription

/// One plugin: sources in `Plugins/<name>`, product `respool-<name>`, file `librespool-<name>.so`.
///
/// A plugin that needs a C library keeps its shim header in `Plugins/<name>/C<name>`.
struct Plugin {
  var name: String
  var libraries: [String] = []
  var isC = false
  /// Files beside the sources.
  var others: [String] = []

  // Only the entry is exported, so that C helpers of two plugins never meet; a missing library is a
  // link error, not one at dlopen; a Swift image must not be unloaded. Sanitizers have their runtime in
  // the executable, and these settings reach the test bundle too: off there.
  static let link: [LinkerSetting] =
    Context.environment["RESPOOL_SANITIZE"] != nil
    ? []
    : [
      .unsafeFlags([
        "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/plugin.map",
        "-Xlinker", "-z", "-Xlinker", "defs", "-Xlinker", "-z", "-Xlinker", "nodelete",
      ])
    ]

  // What is only depended on through another module is not looked at when it changes: a plugin would keep
  // the old layout of what it hands on.
  static let sdk: [Target.Dependency] = ["RespoolPlugin", "RespoolMedia"]

  var product: Product { .library(name: "respool-\(name)", type: .dynamic, targets: [name]) }

  var targets: [Target] {
    let path = "Plugins/\(name)"
    if isC {
      return [
        .target(
          name: name, dependencies: ["CRespool"], path: path, publicHeadersPath: ".",
          linkerSettings: Self.link)
      ]
    }
    if libraries.isEmpty {
      return [
        .target(
          name: name, dependencies: Self.sdk, path: path, swiftSettings: swift,
          linkerSettings: Self.link)
      ]
    }
    return [
      .target(
        name: "C\(name)", path: "\(path)/C\(name)",
        linkerSettings: libraries.map { .linkedLibrary($0) }),
      .target(
        name: name, dependencies: Self.sdk + [.target(name: "C\(name)")], path: path,
        exclude: ["C\(name)"] + others, swiftSettings: swift, linkerSettings: Self.link),
    ]
  }
}

let swift: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

let plugins: [Plugin] = [
  Plugin(name: "AVCodec", libraries: ["avcodec", "swscale", "avutil"]),
  Plugin(name: "AVFormat", libraries: ["avformat", "avcodec", "avutil"]),
  Plugin(name: "ISOMedia"),
  Plugin(name: "Matroska", libraries: ["z"]),
  Plugin(name: "Ogg", libraries: ["ogg"]),
  Plugin(name: "Opus", libraries: ["opus"]),
  Plugin(name: "PCM"),
  Plugin(name: "VPX", libraries: ["vpx"]),
  Plugin(name: "Wave"),
  Plugin(name: "X264", libraries: ["x264"], others: ["LICENSE"]),
]

/// Tests that link a plugin's code: the entries of several plugins meet in one test bundle.
func codecTests(_ plugin: String) -> Target {
  .testTarget(
    name: "\(plugin)Tests", dependencies: Plugin.sdk + [.target(name: plugin)],
    swiftSettings: swift,
    linkerSettings: [.unsafeFlags(["-Xlinker", "--allow-multiple-definition"])])
}

let package = Package(
  name: "respool",
  products: [
    .executable(name: "respool", targets: ["respool"]),
    .library(name: "Respool", targets: ["Respool", "RespoolWaveform", "RespoolMedia"]),
    .library(name: "RespoolPlugin", targets: ["RespoolPlugin", "RespoolMedia"]),
    .library(name: "CRespool", targets: ["CRespool"]),
  ] + plugins.map(\.product),
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .target(name: "CRespool"),
    .target(name: "RespoolMedia", dependencies: ["CRespool"], swiftSettings: swift),
    .target(name: "CRespoolEntry", dependencies: ["CRespool"]),
    .target(
      name: "RespoolPlugin", dependencies: ["RespoolMedia", "CRespool", "CRespoolEntry"],
      swiftSettings: swift),
    .target(name: "CLinux"),
    .target(name: "CConversion", dependencies: ["CLinux"]),
    .target(name: "CDrawing", dependencies: ["CLinux"]),
    .target(name: "CYAML", dependencies: ["CLinux"]),
    .target(name: "CZlib", dependencies: ["CLinux"]),
    .target(
      name: "RespoolHost", dependencies: ["RespoolMedia", "CRespool", "CLinux"],
      swiftSettings: swift),
    .target(
      name: "RespoolProcessing", dependencies: ["RespoolMedia", "CConversion", "CLinux", "CZlib"],
      swiftSettings: swift),
    .target(
      name: "RespoolPresets", dependencies: ["RespoolHost", "RespoolMedia", "CYAML"],
      swiftSettings: swift),
    .target(
      name: "RespoolPipeline", dependencies: ["RespoolHost", "RespoolMedia", "RespoolProcessing"],
      swiftSettings: swift),
    .target(
      name: "Respool",
      dependencies: [
        "RespoolMedia", "RespoolHost", "RespoolPresets", "RespoolPipeline", "RespoolProcessing",
        "CRespool", "CLinux", "CDrawing",
      ],
      swiftSettings: swift),
    .target(
      name: "RespoolWaveform",
      dependencies: ["Respool", "RespoolMedia", "RespoolPipeline", "RespoolProcessing"],
      swiftSettings: swift),
    .target(
      name: "RespoolVerifier", dependencies: ["Respool", "RespoolMedia"], swiftSettings: swift),
    .target(
      name: "RespoolBatch", dependencies: ["Respool", "RespoolMedia", "CLinux"],
      swiftSettings: swift),
    .executableTarget(
      name: "respool",
      dependencies: [
        "Respool", "RespoolBatch", "RespoolMedia", "RespoolVerifier", "RespoolWaveform",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swift,
      linkerSettings: [
        .unsafeFlags(
          ["-L", "\(Context.packageDirectory)/Sources/Linking"], .when(configuration: .release))
      ]),
    .executableTarget(
      name: "compose-benchmark", dependencies: ["Respool", "RespoolMedia"],
      path: "Tests/Benchmarks/Compose", swiftSettings: swift),
    .target(
      name: "PluginHost", dependencies: ["RespoolMedia", "CRespool"],
      path: "Tests/Support/PluginHost", swiftSettings: swift),
    .testTarget(
      name: "CommandTests", dependencies: ["respool"], exclude: ["Snapshots"], swiftSettings: swift),
    .testTarget(
      name: "MatroskaTests",
      dependencies: ["PluginHost", "RespoolPlugin", "RespoolMedia", "Matroska"],
      swiftSettings: swift,
      linkerSettings: [.unsafeFlags(["-Xlinker", "--allow-multiple-definition"])]),
    .testTarget(
      name: "OggTests", dependencies: ["PluginHost", "RespoolMedia"], swiftSettings: swift),
    .testTarget(
      name: "WaveTests", dependencies: ["PluginHost", "RespoolMedia"], swiftSettings: swift),
    .testTarget(name: "RespoolMediaTests", dependencies: ["RespoolMedia"], swiftSettings: swift),
    .testTarget(
      name: "RespoolTests",
      dependencies: [
        "Respool", "RespoolBatch", "RespoolHost", "RespoolMedia", "RespoolPipeline",
        "RespoolProcessing", "RespoolPresets", "RespoolVerifier", "RespoolWaveform", "respool",
      ],
      exclude: ["Presets/Snapshots"], swiftSettings: swift),
    codecTests("AVCodec"), codecTests("AVFormat"), codecTests("ISOMedia"), codecTests("Opus"),
    codecTests("VPX"),
    codecTests("X264"),
  ] + plugins.flatMap(\.targets),
  swiftLanguageModes: [.v6]
)
