import Foundation
import TestFixtures
import FoundationXML
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolWaveform

@Suite struct WaveformRendererTests {
  /// A waveform of eight rising bins, whose RMS value is half the extremes.
  private let ramp = Waveform(
    sampleRate: 8000, sampleCount: 8, division: .every(1),
    channels: [
      .init(
        minima: (0..<8).map { -Float($0) / 8 }, maxima: (0..<8).map { Float($0) / 8 },
        rms: (0..<8).map { Float($0) / 16 })
    ])

  private let red = RGBAColor(red: 200, green: 0, blue: 0)
  private let yellow = RGBAColor(red: 255, green: 255, blue: 0)

  private func renderer(_ width: Int, _ height: Int, background: RGBAColor = .white)
    -> WaveformRenderer
  {
    WaveformRenderer(
      width: width, height: height, color: red, rmsColor: yellow, background: background)
  }

  @Test func `bars reach as far as the samples`() throws {
    let picture = try renderer(8, 32).picture(ramp)
    for column in 0..<8 {
      for row in 0..<32 {
        let color = picture.palette[Int(picture[column, row])]
        // Bin c reaches from row 16 - 2c to 16 + 2c, its RMS part from 16 - c to 16 + c.
        let isBar = column == 0 ? row == 16 : (16 - 2 * column..<16 + 2 * column).contains(row)
        let isLoud = (16 - column..<16 + column).contains(row)
        #expect(color == (isLoud ? yellow : isBar ? red : .white), "\(column), \(row)")
      }
    }
  }

  @Test func `parts of pixels are shades`() throws {
    var half = ramp
    half.channels[0] = .init(minima: [-0.25], maxima: [0.375], rms: [0])
    let picture = try renderer(1, 8).picture(half)
    #expect((0..<8).map { picture[0, $0] } == [0, 0, 64, 127, 127, 0, 0, 0])
    #expect(picture.palette[64].green == 126)
  }

  @Test func `bins share columns and columns share bins`() throws {
    let narrow = try renderer(2, 32).picture(ramp)
    #expect((0..<32).filter { narrow[0, $0] > 0 } == Array(10..<22))
    #expect((0..<32).filter { narrow[1, $0] > 0 } == Array(2..<30))
    let wide = try renderer(24, 32).picture(ramp)
    let plain = try renderer(8, 32).picture(ramp)
    for column in 0..<24 {
      #expect((0..<32).allSatisfy { wide[column, $0] == plain[column / 3, $0] })
    }
  }

  @Test func `a jump leaves no hole in the curve`() throws {
    var jump = ramp
    jump.channels[0] = .init(
      minima: [-0.75, 0.5, -1], maxima: [-0.5, 0.75, -0.75], rms: [0, 0, 0])
    let picture = try renderer(3, 16).picture(jump)
    let columns = (0..<3).map { column in (0..<16).filter { picture[column, $0] > 0 } }
    #expect(columns == [Array(8..<14), Array(2..<9), Array(9..<16)])
  }

  @Test func `channels are below each other, and fitting reaches the edge`() throws {
    var waveform = ramp
    let quiet = Waveform.Channel(minima: [-0.25], maxima: [0.5], rms: [0])
    waveform.channels = [quiet, .init(minima: [0], maxima: [0], rms: [0])]
    var renderer = renderer(1, 16)
    renderer.amplitudeScale = .fitting
    let picture = try renderer.picture(waveform)
    #expect((0..<16).filter { picture[0, $0] > 0 } == [0, 1, 2, 3, 4, 5, 12])
    renderer.amplitudeScale = .factor(1000)
    let cut = try renderer.picture(waveform)
    #expect((0..<8).allSatisfy { cut[0, $0] == 127 })
    renderer.amplitudeScale = .factor(.nan)
    #expect(throws: MediaError.self) { try renderer.picture(waveform) }
  }

  @Test func `a PNG is the same image to ffmpeg`() throws {
    let scratch = try Scratch()
    for background in [
      RGBAColor.white, .transparent, .init(red: 1, green: 2, blue: 3, alpha: 90),
    ] {
      let renderer = renderer(37, 21, background: background)
      let picture = try renderer.picture(ramp)
      try Data(renderer.png(ramp)).write(to: URL(filePath: scratch.path("drawn.png")))
      try PluginWorkshop.run(
        "ffmpeg",
        [
          "-v", "error", "-y", "-i", scratch.path("drawn.png"), "-f", "rawvideo", "-pix_fmt",
          "rgba",
        ]
          + [scratch.path("drawn.rgba")])
      let decoded = [UInt8](try Data(contentsOf: URL(filePath: scratch.path("drawn.rgba"))))
      let expected = picture.pixels.flatMap { pixel -> [UInt8] in
        let color = picture.palette[Int(pixel)]
        return [color.red, color.green, color.blue, color.alpha]
      }
      #expect(decoded == expected)
    }
  }

  @Test func `an SVG is well formed and has the same bars`() throws {
    let text = try renderer(80, 32, background: .transparent).svg(ramp)
    let document = try SVGDocument(text)
    #expect(document.root == ["width": "80", "height": "32", "viewBox": "0 0 80 32"])
    #expect(document.names == ["svg", "path", "path"])
    let path = try #require(document.paths.first)
    #expect(path.hasPrefix("M0 16H10V14H20V12H30"))
    #expect(path.hasSuffix("V18H10V17H0Z"))
    var glass = renderer(80, 32, background: .white)
    glass.color.alpha = 51
    let other = try SVGDocument(glass.svg(ramp))
    #expect(other.names == ["svg", "rect", "path", "path"])
    #expect(try glass.svg(ramp).contains("fill=\"#c80000\" fill-opacity=\"0.2\""))
  }

  @Test func `colors are read and mixed`() {
    #expect(RGBAColor("#2a5fc8") == .standard)
    #expect(RGBAColor("fff") == .white)
    #expect(RGBAColor("#01020304") == .init(red: 1, green: 2, blue: 3, alpha: 4))
    #expect(RGBAColor("transparent") == .transparent)
    for text in ["", "#", "#12", "##123456", "#12345g", "#1234567", "+1234f", "blue", "#１２３"] {
      #expect(RGBAColor(text) == nil, "\(text)")
    }
    #expect(RGBAColor.standard.hexText == "#2a5fc8")
    let half = RGBAColor.transparent.mixed(with: red, 0.5)
    #expect(half == .init(red: 200, green: 0, blue: 0, alpha: 128))
  }
}

/// Elements, paths and root attributes that an XML parser finds in a drawing.
private final class SVGDocument: NSObject, XMLParserDelegate {
  private(set) var names: [String] = []
  private(set) var paths: [String] = []
  private(set) var root: [String: String] = [:]

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    if names.isEmpty {
      root = attributes.filter { ["width", "height", "viewBox"].contains($0.key) }
    }
    names.append(name)
    if name == "path" { paths.append(attributes["d"] ?? "") }
  }
}
