import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolProcessing

/// Tone mapping of high dynamic range video for displays of standard range.
@Suite struct ToneMappingTests {
  struct Known: CustomTestStringConvertible {
    var transfer: ToneMapping.Transfer
    var source = RGBPrimaries.bt2020
    var target = RGBPrimaries.bt709
    var codes: SIMD3<Double>
    /// The expected codes, out of 255.
    ///
    /// Another program computed them from ITU-R BT.2100, BT.2390, BT.2408 and SMPTE RP 177.
    var expected: SIMD3<Double>
    var testDescription: String { "\(transfer) \(source) \(target) \(codes)" }
  }

  static let known: [Known] = [
    .init(
      transfer: .perceptualQuantizer, codes: SIMD3(0.3, 0.3, 0.3),
      expected: SIMD3(72.85, 72.85, 72.85)),
    .init(
      transfer: .perceptualQuantizer, codes: SIMD3(0.5807, 0.5807, 0.5807),
      expected: SIMD3(230.35, 230.35, 230.35)),
    .init(
      transfer: .perceptualQuantizer, codes: SIMD3(0.75, 0.75, 0.75),
      expected: SIMD3(255, 255, 255)),
    .init(
      transfer: .perceptualQuantizer, codes: SIMD3(1, 1, 1), expected: SIMD3(255, 255, 255)),
    .init(
      transfer: .perceptualQuantizer, codes: SIMD3(0.6, 0.4, 0.3),
      expected: SIMD3(249.4, 44.88, 35.32)),
    .init(
      transfer: .perceptualQuantizer, codes: SIMD3(0.3, 0.55, 0.2),
      expected: SIMD3(0, 212.77, 118.65)),
    .init(
      transfer: .perceptualQuantizer, target: .bt2020, codes: SIMD3(0.3, 0.55, 0.2),
      expected: SIMD3(69.7, 215.68, 38.59)),
    .init(
      transfer: .hybridLogGamma, codes: SIMD3(0.2, 0.2, 0.2),
      expected: SIMD3(57.22, 57.22, 57.22)),
    .init(
      transfer: .hybridLogGamma, codes: SIMD3(0.5, 0.5, 0.5),
      expected: SIMD3(143.05, 143.05, 143.05)),
    .init(
      transfer: .hybridLogGamma, codes: SIMD3(0.75, 0.75, 0.75),
      expected: SIMD3(230.38, 230.38, 230.38)),
    .init(
      transfer: .hybridLogGamma, codes: SIMD3(1, 1, 1), expected: SIMD3(255, 255, 255)),
    .init(
      transfer: .hybridLogGamma, codes: SIMD3(0.8, 0.5, 0.4),
      expected: SIMD3(247.76, 94.64, 89.69)),
    .init(
      transfer: .hybridLogGamma, codes: SIMD3(0.1, 0.2, 0.7),
      expected: SIMD3(0, 66.04, 158.2)),
    .init(
      transfer: .hybridLogGamma, source: .p3, codes: SIMD3(0.6, 0.5, 0.45),
      expected: SIMD3(178.04, 142.91, 130.14)),
    .init(
      transfer: .hybridLogGamma, codes: SIMD3(1, 0, 0), expected: SIMD3(255, 0, 78.75)),
  ]

  @Test(arguments: known)
  func `colors are mapped as in the reports`(_ known: Known) {
    let mapping = ToneMapping(known.transfer, from: known.source, to: known.target)
    let result = mapping(known.codes) * 255
    for part in 0..<3 { #expect(abs(result[part] - known.expected[part]) < 0.01) }
  }

  @Test func `reference white has the level of the report`() {
    // ITU-R BT.2408 table 1.
    #expect(abs(PerceptualQuantizer.encode(203) - 0.58) < 0.005)
    #expect(abs(PerceptualQuantizer.decode(PerceptualQuantizer.encode(37.5)) - 37.5) < 1e-9)
    #expect(abs(HybridLogGamma.encode(HybridLogGamma.decode(0.75)) - 0.75) < 1e-12)
  }

  @Test func `brighter input stays brighter`() {
    let mapping = ToneMapping(.perceptualQuantizer, from: .bt2020, to: .bt709)
    var last = -1.0
    for step in 0...1000 {
      let mapped = mapping(SIMD3(repeating: Double(step) / 1000)).x
      #expect(mapped >= last)
      last = mapped
    }
    #expect(mapping(.zero) == .zero && last == 1)
  }

  /// Maps grays, colors inside both gamuts, and random colors.
  ///
  /// Differences are in 8-bit codes.
  @Test(arguments: [ToneMapping.Transfer.perceptualQuantizer, .hybridLogGamma])
  func `frames are mapped within a fifth of a code`(transfer: ToneMapping.Transfer) throws {
    let mapping = ToneMapping(transfer, from: .bt2020, to: .bt709)
    let mapper = ToneMapper(mapping)
    let source = try #require(Frame(pixelFormat: .gbrp16le, width: 97, height: 41))
    var state: UInt32 = 1
    func random() -> Double {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Double(state >> 16) / 65535
    }
    let toSource = RGBPrimaries.bt709.matrix(to: .bt2020)
    for row in 0..<41 {
      for column in 0..<97 {
        var code = SIMD3(random(), random(), random())
        if row == 0 {
          code = SIMD3(repeating: Double(column) / 96)
        } else if row < 21 {
          let light = toSource(code * code * random())
          for part in 0..<3 {
            code[part] =
              transfer == .hybridLogGamma
              ? HybridLogGamma.encode(light[part])
              : PerceptualQuantizer.encode(light[part] * ToneMapping.usualPeak)
          }
        }
        for (part, plane) in [2, 0, 1].enumerated() {
          let line = source.planes[plane].base + row * source.planes[plane].stride
          line.storeBytes(
            of: UInt16((code[part] * 65535).rounded()), toByteOffset: 2 * column, as: UInt16.self)
        }
      }
    }
    let target = try #require(Frame(pixelFormat: .gbrp16le, width: 97, height: 41))
    mapper.convert(source, into: target)
    func colors(_ frame: Frame, _ row: Int, _ column: Int) -> SIMD3<Double> {
      var color = SIMD3<Double>()
      for (part, plane) in [2, 0, 1].enumerated() {
        let line = frame.planes[plane].base + row * frame.planes[plane].stride
        color[part] = Double(line.load(fromByteOffset: 2 * column, as: UInt16.self)) / 65535
      }
      return color
    }
    var worst = 0.0
    for row in 0..<41 {
      for column in 0..<97 {
        let made = colors(target, row, column)
        let exact = mapping(colors(source, row, column))
        for part in 0..<3 { worst = max(worst, abs(made[part] - exact[part]) * 255) }
        if row == 0 { #expect(abs(made.x - made.y) + abs(made.x - made.z) < 0.001) }
      }
    }
    #expect(worst < 0.2)
  }

  // MARK: Frames

  private static let hdr = ColorDescription(
    primaries: 9, transfer: 18, matrix: 9, range: .limited)

  @Test func `a frame of ten bits becomes one of eight`() throws {
    // HLG of 0.75 in all components: 64 + 876 * 0.75.
    let picture = try FrameFixture.flat(
      .yuv420p10le, 64, 32, components: [721, 512, 512], color: Self.hdr)
    let converter = try FrameConverter(
      from: VideoFormat(picture),
      to: VideoFormat(pixelFormat: .yuv420p, width: 32, height: 16, color: .bt709))
    let result = try converter.convert(picture)
    #expect(result.width == 32 && result.height == 16)
    #expect(result.color.transfer == 1 && result.color.primaries == 1)
    #expect(result.color.matrix == 1 && result.color.range == .limited)
    #expect(!converter.changesNothing)
    // 16 + 219 * 230.38 / 255.
    #expect(try FrameFixture.plane(result, 0).samples.allSatisfy { abs($0 - 214) <= 1 })
    #expect(try FrameFixture.plane(result, 1).samples.allSatisfy { abs($0 - 128) <= 1 })
    #expect(try FrameFixture.plane(result, 2).samples.allSatisfy { abs($0 - 128) <= 1 })
  }

  @Test func `unstated properties stay unchanged`() throws {
    let picture = try FrameFixture.flat(
      .yuv420p10le, 16, 16, components: [721, 512, 512], color: Self.hdr)
    let converter = try FrameConverter(
      from: VideoFormat(picture),
      to: VideoFormat(pixelFormat: .yuv420p, width: 16, height: 16))
    let result = try converter.convert(picture)
    #expect(result.color.transfer == 18 && result.color.primaries == 9)
    // 721 / 4, dithered.
    let luma = try FrameFixture.plane(result, 0).samples
    #expect(luma.allSatisfy { $0 == 180 || $0 == 181 })
  }

  @Test func `alpha is kept`() throws {
    let picture = try FrameFixture.flat(
      .yuva420p10le, 16, 16, components: [721, 512, 512, 400], color: Self.hdr)
    let converter = try FrameConverter(
      from: VideoFormat(picture),
      to: VideoFormat(pixelFormat: .yuva420p, width: 16, height: 16, color: .bt709))
    let result = try converter.convert(picture)
    #expect(try FrameFixture.plane(result, 0).samples.allSatisfy { abs($0 - 214) <= 1 })
    #expect(try FrameFixture.plane(result, 3).samples.allSatisfy { abs($0 - 100) <= 1 })
  }

  @Test func `both fields are mapped`() throws {
    var frame = try FrameFixture.flat(
      .yuv420p10le, 32, 32, components: [721, 512, 512], color: Self.hdr
    )
    frame.flags.insert(.interlaced)
    let converter = try FrameConverter(
      from: VideoFormat(frame),
      to: VideoFormat(
        pixelFormat: .yuv420p, width: 32, height: 24, color: .bt709, isInterlaced: true))
    let result = try converter.convert(frame)
    #expect(result.flags.contains(.interlaced))
    #expect(try FrameFixture.plane(result, 0).samples.allSatisfy { abs($0 - 214) <= 1 })
  }
}
