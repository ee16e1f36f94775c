// swift-tools-version:6.2
import PackageDescription

/// A plugin with sources in `Plugins/<name>`, the product `respool-<name>` and the file `librespool-<name>.so`.
///
/// A plugin that needs a C library keeps its shim header in `Plugins/<name>/C<name>`.
struct Plugin {
  var name: String
  var libraries: [String] = []
  /// `true` if the plugin links `FFmpeg`, the code that the plugins with FFmpeg's libraries share.
  var usesFFmpeg = false
  /// Targets with Swift code that several plugins share.
  var shared: [Target.Dependency] = []
  var isC = false
  /// Other files in the folder of the sources, which are not compiled.
  var others: [String] = []

  // Exports only the entry, so that C functions of two plugins never conflict (version script), makes a missing
  // library a link error instead of an error of dlopen (defs), and forbids unloading, which a Swift image does not
  // support (nodelete). Off with sanitizers: their runtime is in the executable, and the settings also apply to the
  // test bundle.
  static let link: [LinkerSetting] =
    Context.environment["RESPOOL_SANITIZE"] != nil
    ? []
    : [
      .unsafeFlags([
        "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/plugin.map",
        "-Xlinker", "-z", "-Xlinker", "defs", "-Xlinker", "-z", "-Xlinker", "nodelete",
      ])
    ]

  // RespoolMedia is listed because a plugin is not rebuilt when a module changes that it depends on only through
  // another module: it would use the old layout of the types.
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
          name: name, dependencies: Self.sdk + shared, path: path, swiftSettings: swift,
          linkerSettings: Self.link)
      ]
    }
    var dependencies: [Target.Dependency] = [.target(name: "C\(name)")]
    dependencies += Self.sdk
    dependencies += shared
    if usesFFmpeg { dependencies += ["CFFmpeg", "FFmpeg"] }
    return [
      .target(
        name: "C\(name)", dependencies: usesFFmpeg ? ["CFFmpeg"] : [], path: "\(path)/C\(name)",
        linkerSettings: libraries.map { .linkedLibrary($0) }),
      .target(
        name: name, dependencies: dependencies, path: path,
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
  Plugin(name: "ADTS", shared: ["ID3"]),
  Plugin(name: "AIFF", shared: ["ID3", "PCMWriting"]),
  Plugin(name: "CAF", shared: ["PCMWriting"]),
  Plugin(name: "ASS", libraries: ["ass"]),
  Plugin(name: "AVCodec", libraries: ["avcodec", "swscale", "avutil"], usesFFmpeg: true),
  Plugin(name: "AVFilter", libraries: ["avfilter", "avutil"], usesFFmpeg: true),
  Plugin(name: "AVFormat", libraries: ["avformat", "avcodec", "avutil"], usesFFmpeg: true),
  Plugin(name: "Dav1d", libraries: ["dav1d"]),
  Plugin(name: "FLAC", libraries: ["FLAC"], shared: ["Xiph"]),
  Plugin(name: "HEIF", libraries: ["heif"]),
  Plugin(name: "ISOMedia"),
  Plugin(name: "LAME", libraries: ["mp3lame"]),
  Plugin(name: "Matroska", shared: ["CDeflate"]),
  Plugin(name: "MPEGAudio", shared: ["ID3"]),
  Plugin(name: "Ogg", libraries: ["ogg"], shared: ["Xiph"]),
  Plugin(name: "Opus", libraries: ["opus"], shared: ["Xiph"]),
  Plugin(name: "PCM"),
  Plugin(name: "Images", libraries: ["jxl", "jxl_threads"], shared: ["CDeflate"]),
  Plugin(name: "SVTAV1", libraries: ["SvtAv1Enc"], shared: ["VideoEncoding"]),
  Plugin(name: "Subtitles"),
  Plugin(name: "VPX", libraries: ["vpx"], shared: ["VideoEncoding"]),
  Plugin(name: "Vorbis", libraries: ["vorbisenc", "vorbis", "ogg"], shared: ["Xiph"]),
  Plugin(name: "Wave", shared: ["ID3", "PCMWriting"]),
  Plugin(name: "X264", libraries: ["x264"], shared: ["VideoEncoding"], others: ["LICENSE"]),
  Plugin(
    name: "X265", libraries: ["x265", "numa"], shared: ["VideoEncoding"], others: ["LICENSE"]),
]

/// Returns the tests of a plugin, which link its code.
///
/// One test bundle has the entries of several plugins, so the linker must allow multiple definitions.
func codecTests(_ plugin: String, uses: [Target.Dependency] = []) -> Target {
  var dependencies: [Target.Dependency] = ["PluginHost", .target(name: plugin)]
  dependencies += Plugin.sdk
  dependencies += uses
  return .testTarget(
    name: "\(plugin)Tests", dependencies: dependencies, swiftSettings: swift,
    linkerSettings: [.unsafeFlags(["-Xlinker", "--allow-multiple-definition"])])
}

let pluginTests: [Target] = [
  codecTests("AVCodec"), codecTests("AVFilter"), codecTests("AVFormat"),
  codecTests("Dav1d", uses: ["SVTAV1"]), codecTests("FLAC"), codecTests("ISOMedia"),
  codecTests("LAME"), codecTests("MPEGAudio"), codecTests("Opus", uses: ["Xiph"]),
  codecTests("Images"),
  codecTests("SVTAV1", uses: ["Dav1d"]), codecTests("VPX"), codecTests("Vorbis"),
  codecTests("X264"), codecTests("X265"),
]

/// Tests of a module, in a folder with its name.
func moduleTests(_ module: String, uses: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: [.target(name: module)] + uses, exclude: exclude,
    swiftSettings: swift)
}

let package = Package(
  name: "respool",
  products: [
    .executable(name: "respool", targets: ["respool"]),
    .library(name: "Respool", targets: ["Respool", "RespoolWaveform", "RespoolMedia"]),
    .library(name: "RespoolPlugin", targets: ["RespoolPlugin", "RespoolMedia"]),
    .library(name: "CRespool", targets: ["CRespool"]),
    // A plugin for the tests of the verifier. Its name differs from those of the plugins that are installed.
    .library(name: "faulty-swift", type: .dynamic, targets: ["FaultySwift"]),
  ] + plugins.map(\.product),
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
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
    .target(name: "CVerifier"),
    .target(name: "CSQLite", dependencies: ["CLinux"]),
    .target(name: "CZlib", dependencies: ["CLinux"]),
    .target(
      name: "CFFmpeg", path: "Plugins/FFmpeg/CFFmpeg", linkerSettings: [.linkedLibrary("avutil")]),
    .target(
      name: "CDeflate", path: "Plugins/Deflate", linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "FFmpeg", dependencies: ["RespoolMedia", "CFFmpeg"], path: "Plugins/FFmpeg",
      exclude: ["CFFmpeg"], swiftSettings: swift),
    .target(
      name: "ID3", dependencies: ["RespoolMedia"], path: "Plugins/ID3", swiftSettings: swift),
    .target(
      name: "PCMWriting", dependencies: ["RespoolPlugin", "RespoolMedia"],
      path: "Plugins/PCMWriting", swiftSettings: swift),
    .target(
      name: "Xiph", dependencies: ["RespoolMedia"], path: "Plugins/Xiph",
      swiftSettings: swift),
    .target(
      name: "VideoEncoding", dependencies: ["RespoolMedia"], path: "Plugins/VideoEncoding",
      swiftSettings: swift),
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
      name: "RespoolPipeline",
      dependencies: [
        "RespoolHost", "RespoolMedia", "RespoolProcessing",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: swift),
    .target(
      name: "Respool",
      dependencies: [
        "RespoolMedia", "RespoolHost", "RespoolPresets", "RespoolPipeline", "RespoolProcessing",
        "CRespool", "CLinux", "CDrawing",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: swift),
    .target(
      name: "RespoolWaveform",
      dependencies: ["Respool", "RespoolMedia", "RespoolPipeline", "RespoolProcessing"],
      swiftSettings: swift),
    .target(
      name: "RespoolVerifier", dependencies: ["RespoolHost", "RespoolMedia", "CVerifier"],
      swiftSettings: swift),
    .target(
      name: "RespoolBatch",
      // RespoolPresets is listed for the reason of `Plugin.sdk`: Respool exports its types.
      dependencies: [
        "Respool", "RespoolHost", "RespoolMedia", "RespoolPresets", "CLinux", "CSQLite",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      resources: [.embedInCode("Page/head.html"), .embedInCode("Page/tail.html")],
      swiftSettings: swift),
    .target(
      name: "RespoolServer",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "respool",
      dependencies: [
        "Respool", "RespoolBatch", "RespoolMedia", "RespoolPresets", "RespoolServer",
        "RespoolVerifier", "RespoolWaveform",
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
    .executableTarget(
      name: "boundary-benchmark", dependencies: ["RespoolHost", "RespoolMedia"],
      path: "Tests/Benchmarks/Boundary", swiftSettings: swift),
    .target(
      name: "PluginHost", dependencies: Plugin.sdk + ["CRespool"],
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
      name: "WaveTests", dependencies: ["PluginHost", "RespoolMedia", "RespoolPlugin"],
      swiftSettings: swift),
    .target(
      name: "FaultySwift", dependencies: Plugin.sdk, path: "Tests/Fixtures/FaultySwift",
      swiftSettings: swift, linkerSettings: Plugin.link),
    .target(
      name: "TestFixtures", dependencies: ["RespoolHost", "RespoolMedia"],
      path: "Tests/Support/TestFixtures", swiftSettings: swift),
    .target(
      name: "ReadingFixtures", dependencies: ["Respool", "RespoolMedia", "TestFixtures"],
      path: "Tests/Support/ReadingFixtures", swiftSettings: swift),
    moduleTests("RespoolMedia", uses: ["TestFixtures"]),
    moduleTests("RespoolHost", uses: ["RespoolMedia", "TestFixtures"]),
    moduleTests("RespoolProcessing", uses: ["RespoolMedia", "TestFixtures"]),
    moduleTests(
      "RespoolPipeline", uses: ["RespoolHost", "RespoolMedia", "RespoolProcessing", "TestFixtures"]),
    moduleTests("RespoolPresets", uses: ["RespoolHost", "RespoolMedia"], exclude: ["Snapshots"]),
    moduleTests("RespoolVerifier", uses: ["RespoolHost", "TestFixtures"]),
    moduleTests("RespoolBatch", uses: ["RespoolMedia"]),
    moduleTests(
      "RespoolWaveform", uses: ["ReadingFixtures", "Respool", "RespoolMedia", "TestFixtures"]),
    moduleTests(
      "Respool",
      uses: [
        "ReadingFixtures", "RespoolHost", "RespoolMedia", "RespoolPipeline", "RespoolPresets",
        "RespoolProcessing", "RespoolWaveform", "TestFixtures", "respool",
      ]),
    .testTarget(
      name: "ABITests",
      dependencies: ["RespoolHost", "RespoolMedia", "RespoolVerifier", "TestFixtures"],
      path: "Tests/ABI",
      exclude: [
        "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "check.py", "grown", "museum.c", "reference.c",
        "suppressions.abignore",
      ], swiftSettings: swift),
  ] + pluginTests + plugins.flatMap(\.targets),
  swiftLanguageModes: [.v6]
)
