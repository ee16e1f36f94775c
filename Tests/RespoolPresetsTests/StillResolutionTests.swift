import RespoolMedia
import Testing

@testable import RespoolPresets

/// Settings of still images.
@Suite struct StillResolutionTests {
  private func resolve(
    _ preset: String, _ describe: (inout TrackDescription) -> Void = { _ in }
  ) throws -> ResolvedSettings {
    let track = SourceFixtures.video(401, 300, codec: "tiff") {
      $0.disposition = .stillImage
      describe(&$0)
    }
    return try ResolutionTests.resolve(
      preset, SourceFixtures.media(track), available: PluginFixtures.ofPackage)
  }

  private func conversion(
    _ preset: String, _ describe: (inout TrackDescription) -> Void = { _ in }
  ) throws -> VideoConversion {
    guard case .convertVideo(let conversion) = try resolve(preset, describe).tracks[0].action
    else { throw MediaError(.invalidArgument, "the image is not converted") }
    return conversion
  }

  @Test(arguments: [
    ("photo-avif", ColorDescription(primaries: 1, transfer: 13, matrix: 5, range: .full)),
    ("photo-heic", ColorDescription(primaries: 1, transfer: 13, matrix: 5, range: .full)),
    ("photo-jpeg", ColorDescription(primaries: 2, transfer: 2, matrix: 5, range: .full)),
    ("photo-webp", ColorDescription(primaries: 2, transfer: 2, matrix: 5, range: .limited)),
  ])
  func `images without stated color are sRGB in the form of their codec`(
    preset: String, color: ColorDescription
  ) throws {
    // WebP takes RGB as it is.
    let format: PixelFormat = preset == "photo-webp" ? .yuv420p : .rgb24
    #expect(try conversion(preset) { $0.pixelFormat = format }.color == color)
    // A profile states the color.
    let profiled = try conversion(preset) {
      $0.pixelFormat = .rgb24
      $0.sideData = [SideData(.colorProfile, Array("profile".utf8))]
    }
    #expect(profiled.color.primaries == H273.unspecified)
    let settings = profiled.encoderSettings(
      source: SourceFixtures.video(401, 300, codec: "tiff") {
        $0.sideData = [SideData(.colorProfile, Array("profile".utf8))]
      }, timeBase: Rational(1, 25), threads: 1)
    #expect(settings.track.sideData[.colorProfile] != nil)
  }

  @Test func `only codecs without another matrix change it`() throws {
    func matrix(_ preset: String) throws -> UInt8 {
      try conversion(preset) {
        $0.pixelFormat = .yuv420p
        $0.color.matrix = H273.Matrix.bt709
      }.color.matrix
    }
    #expect(try matrix("photo-avif") == H273.Matrix.bt709)
    #expect(try matrix("photo-jpeg") == H273.Matrix.bt470BG)
    #expect(try matrix("photo-webp") == H273.Matrix.bt470BG)
  }

  @Test(arguments: [
    ("photo-jpeg", 401, 300), ("photo-webp", 300, 401), ("photo-png", 300, 401),
    ("photo-avif", 401, 300), ("photo-heic", 400, 300),
  ])
  func `odd sides stay, and rotation is stored where every program follows it`(
    preset: String, width: Int, height: Int
  ) throws {
    let settings = try conversion(preset) {
      $0.pixelFormat = .yuv420p
      $0.displayMatrix = DisplayMatrix(clockwiseDegrees: 90)
    }
    #expect((settings.width, settings.height) == (width, height))
  }

  @Test func `transparency is a planned loss only where no frame shows it`() throws {
    let loss = "video: transparency is dropped: mjpeg as yuv444p has none"
    let planned = try resolve("photo-jpeg") { $0.pixelFormat = .rgba }
    #expect(!planned.decisions.contains { $0.loss == loss })
    // Floating-point frames are not examined.
    let unseen = try resolve("photo-jpeg") { $0.pixelFormat = .gbrapf32le }
    #expect(unseen.decisions.contains { $0.loss?.contains("transparency is dropped") == true })
  }

  @Test func `video and audio are no still images`() throws {
    let media = SourceFixtures.media(
      SourceFixtures.video(640, 480), SourceFixtures.audio(48000, .stereo))
    let settings = try ResolutionTests.resolve(
      "photo-avif", media, available: PluginFixtures.ofPackage)
    #expect(settings.skipReason == "avif holds one still image, and the source has none")
  }
}
