import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// The edits of `respool convert`, checked by the output.
@Suite struct EditOptionsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func seconds(_ value: Double) -> MediaTime {
    MediaTime(seconds: value, preferredTimescale: 1000)
  }

  private func export(_ clip: String, _ preset: String, _ options: EditOptions) throws -> String {
    let session = try options.makeSession(
      for: Asset(path: Pipeline.clip(clip), registry: Pipeline.registry),
      preset: try Pipeline.preset(preset), registry: Pipeline.registry, threads: 2)
    let path = scratch.path("out-\(scratch.names.count)")
    _ = try session.exportAndWait(to: path)
    return path
  }

  private func track(_ path: String) throws -> AssetTrack {
    try #require(
      try Asset(path: path, registry: Pipeline.registry).tracks(withMediaType: .video).first)
  }

  @Test func `a part with a text is in sync and has the requested length`() throws {
    var options = EditOptions()
    (options.start, options.end) = (seconds(0.4), seconds(1.7))
    options.caption = EditOptions.Caption("x", size: .fraction(0.1))
    let path = try export("clap-and-flash.mp4", "web-480p", options)
    let flashes = try Pipeline.pictures(path).flashes()
    let beeps = try Pipeline.sound(path).onsets()
    try #require(flashes.count == 2 && beeps.count == 2)
    for (flash, beep) in zip(flashes, beeps) { #expect(abs(flash - beep) < 0.03) }
    #expect(abs(beeps[0] - 0.1) < 0.005)
    let length = try Asset(path: path, registry: Pipeline.registry).duration().seconds
    #expect(abs(length - 1.3) < 0.045)
  }

  @Test func `a file whose header states too little is edited to its end`() throws {
    let path = scratch.path("short.mkv")
    var bytes = Array(try Data(contentsOf: URL(filePath: Pipeline.clip("pattern-flac.mkv"))))
    // `Duration`, a float of 8 bytes (RFC 9559 5.1.2.10), in units of 1 ms.
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x44, 0x89, 0x88]) })
    let told = (800.0).bitPattern.bigEndian
    withUnsafeBytes(of: told) { bytes.replaceSubrange(place + 3..<place + 11, with: $0) }
    try Data(bytes).write(to: URL(filePath: path))
    let asset = Asset(path: path, registry: Pipeline.registry)
    try #require(try asset.duration().seconds == 0.8)
    let whole = try Pipeline.sound(Pipeline.clip("pattern-flac.mkv")).count

    func count(_ change: (inout EditOptions) -> Void) throws -> Int {
      var options = EditOptions()
      change(&options)
      let session = try options.makeSession(
        for: asset, preset: try Pipeline.preset("wav"), registry: Pipeline.registry)
      let output = scratch.path("out-\(scratch.names.count).wav")
      _ = try session.exportAndWait(to: output)
      return try Pipeline.sound(output).count
    }
    #expect(try count { $0.volume = 0.5 } == whole)
    #expect(try count { $0.end = seconds(5) } == whole)
    #expect(try count { $0.start = seconds(0.5) } == whole - 24_000)
    #expect(try count { $0.start = seconds(1.5) } == whole - 72_000)
    #expect(try count { $0.fadeOut = seconds(0.5) } == whole)
    #expect(try count { $0.end = seconds(0.5) } == 24_000)
  }

  @Test func `frame times in hundredths of a second are placed more finely`() throws {
    var options = EditOptions()
    options.start = seconds(0.123)
    let clip = "animation.gif"
    let all = try Pipeline.pictures(Pipeline.clip(clip)).map(\.presentationTimeStamp.seconds)
    let made = try Pipeline.pictures(try export(clip, "web-480p", options))
      .map(\.presentationTimeStamp.seconds)
    let expected = [0] + all.filter { $0 > 0.123 }.map { $0 - 0.123 }
    try #require(made.count == expected.count)
    for (time, told) in zip(made, expected) { #expect(abs(time - told) < 0.0005) }
  }

  @Test(arguments: [("tones-5.1.wav", "pcm_s24le"), ("speech.wav", "pcm_s16le")])
  func `audio with a changed volume stays as deep as before`(clip: String, codec: String) throws {
    var options = EditOptions()
    options.volume = 0.5
    let asset = Asset(path: try export(clip, "wav", options), registry: Pipeline.registry)
    #expect(try asset.tracks().map(\.description.codec) == [codec])
  }

  @Test func `a quarter turn is metadata in a copy and pixels after encoding`() throws {
    var options = EditOptions()
    options.rotation = .clockwise(90)
    let copied = try track(try export("pattern-h264.mp4", "remux-mp4", options))
    #expect(copied.preferredTransform.orientation == .init(clockwiseDegrees: 90))
    #expect(copied.naturalSize == (320, 180))
    let path = try export("pattern-h264.mp4", "web-480p", options)
    let turned = try track(path)
    #expect(turned.preferredTransform.isIdentity)
    #expect(turned.naturalSize == (180, 320))
    // The upper left corner becomes the upper right corner.
    let before = try #require(try Pipeline.pictures(Pipeline.clip("pattern-h264.mp4")).first)
    let after = try #require(try Pipeline.pictures(path).first)
    for (x, y) in [(0.05, 0.5), (0.5, 0.9), (0.9, 0.1)] {
      let old = try before.brightness(x: x..<x + 0.05, y: y..<y + 0.05)
      let new = try after.brightness(x: 1 - y - 0.05..<1 - y, y: x..<x + 0.05)
      #expect(abs(old - new) < 6, "\(x) \(y)")
    }
  }

  @Test(arguments: [(Rotation.clockwise(270), 320.0), (.asStored, 320), (.clockwise(180), 180)])
  func `rotations are added to that of a portrait clip`(turn: Rotation, width: Double) throws {
    var options = EditOptions()
    options.rotation = turn
    let made = try track(try export("portrait.mov", "web-480p", options))
    #expect(made.naturalSize.width == width)
    #expect(made.preferredTransform.isIdentity)
  }

  @Test func `a rotated matrix keeps its mirroring`() {
    for degrees in [0, 90, 180, 270] {
      for isMirrored in [false, true] {
        var matrix = DisplayMatrix(clockwiseDegrees: degrees)
        if isMirrored { (matrix.a, matrix.b) = (-matrix.a, -matrix.b) }
        let turned = Rotation.clockwise(90).applied(to: matrix).orientation
        #expect(turned.mirrored == isMirrored)
        #expect(turned.clockwiseDegrees == (degrees + 90) % 360)
      }
    }
  }

  @Test func `an overlay is in its corner and nowhere else`() throws {
    var options = EditOptions()
    options.overlays = [
      Overlay(
        .image(path: Pipeline.clip("still.png")), position: OverlayPosition(.bottomRight))
    ]
    let path = try export("clap-and-flash.mp4", "web-480p", options)
    // 96x64 at the lower right of 160x90, over a dark frame.
    let picture = try Pipeline.pictures(path)[5]
    #expect(try picture.brightness(x: 0.42..<1, y: 0.32..<1) > 60)
    #expect(try picture.brightness(x: 0..<0.38, y: 0..<1) < 40)
    #expect(try picture.brightness(x: 0..<1, y: 0..<0.26) < 40)
  }

  @Test func `fades begin and end in black and silence`() throws {
    var options = EditOptions()
    (options.fadeIn, options.fadeOut) = (seconds(0.5), seconds(0.5))
    let path = try export("pattern-h264.mp4", "web-480p", options)
    let light = try Pipeline.pictures(path).map { try $0.brightness() }
    let full = try Pipeline.pictures(Pipeline.clip("pattern-h264.mp4")).map { try $0.brightness() }
    try #require(light.count == 50)
    #expect(light[0] < 18)
    for (index, part) in [(5, 0.4), (10, 0.8), (25, 1), (40, 0.8), (45, 0.4)] {
      // The fade starts from black, which is code 16.
      #expect(abs(light[index] - (16 + (full[index] - 16) * part)) < 4, "\(index)")
    }
  }

  @Test func `volume and fades of audio are as requested`() throws {
    var options = EditOptions()
    options.volume = 0.5
    options.fadeIn = seconds(0.5)
    let path = try export("speech.wav", "wav", options)
    let before = try Pipeline.sound(Pipeline.clip("speech.wav"))
    let after = try Pipeline.sound(path)
    #expect(after.count == before.count)
    let ramp = Double(before.rate) / 2
    for index in stride(from: 0, to: before.count, by: 97) {
      let gain = Float(min(1, Double(index) / ramp)) / 2
      #expect(abs(after.channels[0][index] - before.channels[0][index] * gain) < 1e-4)
    }
  }

  @Test func `frames of a variable frame rate keep their times`() throws {
    var options = EditOptions()
    options.caption = EditOptions.Caption("x")
    let path = try export("variable.mp4", "web-480p", options)
    let times = try Pipeline.pictures(path).map(\.presentationTimeStamp.seconds)
    let expected = try Pipeline.pictures(Pipeline.clip("variable.mp4"))
      .map(\.presentationTimeStamp.seconds)
    #expect(times.count == expected.count)
    for (a, b) in zip(times, expected) { #expect(abs(a - b) < 1e-4) }
  }

  @Test func `a size applies even if the preset copies`() throws {
    var options = EditOptions()
    options.size = Preset.Size(160, 160)
    #expect(
      try track(try export("pattern-h264.mp4", "remux-mp4", options)).naturalSize == (160, 90))
    // Width and height are even and fit into the box.
    options.size = Preset.Size(101, 101)
    #expect(
      try track(try export("pattern-h264.mp4", "remux-mp4", options)).naturalSize == (100, 56))
  }

  @Test func `an edit without its media is an error`() throws {
    var drawn = EditOptions()
    drawn.caption = EditOptions.Caption("x")
    var loud = EditOptions()
    loud.volume = 2
    var faded = EditOptions()
    (faded.fadeIn, faded.fadeOut) = (seconds(2), seconds(2))
    var late = EditOptions()
    late.start = seconds(9)
    for (clip, preset, options) in [
      ("speech.wav", "wav", drawn), ("clap-and-flash.mp4", "wav", drawn),
      ("variable.mp4", "web-480p", loud), ("speech.wav", "wav", faded), ("speech.wav", "wav", late),
    ] {
      do {
        _ = try export(clip, preset, options)
        Issue.record("no error for \(clip)")
      } catch let error as MediaError { #expect(error.code == .invalidArgument) }
    }
  }
}
