import Foundation
import RespoolMedia
import TestFixtures
import Testing

/// The headers `respool/helpers.h`, `records.h` and `plugin.hpp`, built as C and C++ and run with sanitizers.
@Suite struct HelperTests {
  private let fixtures: PluginWorkshop

  init() throws { fixtures = try PluginWorkshop() }

  /// Records that x264, x265, SVT-AV1 and libaom wrote.
  private static let records = [
    "avcC:0164000affe100186764000aacd9447b011000000300100000030320f122596001000668ebe3cb22c0fdf8f800",
    "avcC:017a000affe10018677a000ab6cd9447b011000003000100000300320f12259601000668ebe3cb22c0fefafa00",
    "hvcC:0102200000009000000000001ef000fcfdfafa00000f03a00001001840010c01ffff022000000300900"
      + "00003000003001e959809a10001002a42010102200000030090000003000003001ea0208104d96566924caf0"
      + "16808000003000800000300c840a2000100074401c172b42240",
    "av1C:81004c000a0a00000002afff805f0808",
    "avcC:0142c00affe100176742c00ad9047b011000000300100000030320f122648001000568cb83cb20",
    "av1C:812000000a0a20000002afff9b5f2040",
    "av1C:814068000a0a40000002afff9b5f2c44",
  ]

  private static let strict = [
    "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", PluginWorkshop.headers,
  ]
  private static let sanitizers = [
    "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
  ]

  private func run(
    _ source: String, _ compiler: [String], _ arguments: [String] = []
  ) throws -> String {
    let program = fixtures.path("checks")
    try PluginWorkshop.run(
      "env",
      compiler + Self.strict + Self.sanitizers
        + ["-o", program, PluginWorkshop.sources.appending(path: source).path])
    return try PluginWorkshop.run(program, arguments)
  }

  @Test(arguments: [["cc", "-std=c11"], ["c++", "-std=c++17", "-x", "c++"]])
  func `helpers and records hold for records of real encoders, truncated and damaged ones`(
    compiler: [String]
  ) throws {
    let output = try run("helpers.c", compiler, Self.records)
    #expect(output.contains("7 records"))
    // Sizes of planes for 33x17 pixels.
    let expected = PixelFormat.allCases.flatMap { format -> [String] in
      guard let layout = format.layout, layout.family != .palette,
        layout.rowBytes(ofPlane: 0, for: 16) >= 16
      else { return [] }
      return (0..<layout.planeCount).map {
        "layout \(format.rawValue) \($0) \(layout.rowBytes(ofPlane: $0, for: 33)) "
          + "\(layout.height(ofPlane: $0, for: 17))"
      }
    }
    #expect(expected.count >= 200)
    #expect(
      output.split(separator: "\n").filter { $0.hasPrefix("layout") }.map(String.init) == expected)
  }

  @Test func `no exception leaves a plugin in C++`() throws {
    #expect(try run("helpers.cpp", ["c++", "-std=c++17"]).contains("7 kinds of exceptions"))
  }

  @Test(arguments: [
    ["gcc", "-std=c11", "-xc"], ["clang", "-std=c11", "-xc"], ["g++", "-std=c++17", "-xc++"],
    ["clang++", "-std=c++17", "-xc++"], ["g++", "-std=c++20", "-xc++"],
  ])
  func `every header compiles alone without a warning`(compiler: [String]) throws {
    let folder = PluginWorkshop.headers + "/respool"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      if name.hasSuffix(".hpp") && compiler.last == "-xc" { continue }
      try fixtures.write("#include <respool/\(name)>\n", as: "alone.c")
      try PluginWorkshop.run(
        "env", compiler + Self.strict + ["-fsyntax-only", fixtures.path("alone.c")])
    }
  }
}
