import Foundation
import TestFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// Writers, inputs and samples for tests, and the output of other programs for written files.
enum Writing {
  static func writer(_ scratch: Scratch, _ name: String = "out.mp4", _ container: String = "mp4")
    throws -> AssetWriter
  {
    try AssetWriter(path: scratch.path(name), container: container, registry: Pipeline.registry)
  }

  static func videoInput(aperture: CleanAperture? = nil, aspect: Rational? = nil)
    -> AssetWriterInput
  {
    AssetWriterInput(
      mediaType: .video,
      settings: .video(
        codec: "h264", width: 96, height: 64, encoder: "x264", cleanAperture: aperture,
        pixelAspectRatio: aspect))
  }

  static func audioInput() -> AssetWriterInput {
    AssetWriterInput(
      mediaType: .audio,
      settings: .audio(codec: "aac", sampleRate: 48000, channelLayout: .mono, bitRate: 96000))
  }

  /// Returns an input for PCM, which is fast to write as it needs no encoder.
  static func linearInput() -> AssetWriterInput {
    AssetWriterInput(
      mediaType: .audio,
      settings: .audio(codec: "pcm_s16le", sampleRate: 48000, channelLayout: .mono))
  }

  static func time(_ value: Int, _ scale: Int32 = 25) -> MediaTime {
    MediaTime(value: Int64(value), timescale: scale)
  }

  /// Returns a gray frame with the presentation time `number` / 25 s.
  static func picture(_ number: Int, gray: UInt8 = 100) throws -> SampleBuffer {
    let frame = try FrameFixture.flat(.yuv420p, 96, 64, [gray, 128, 128])
    return SampleBuffer(
      try #require(PixelBuffer(frame)), at: time(number), duration: time(1))
  }

  /// Returns a block of a 1 kHz tone.
  ///
  /// `start` and `count` are in audio samples at 48 kHz.
  static func tone(_ start: Int, _ count: Int = 1920) throws -> SampleBuffer {
    let samples = (0..<count).map { Float(0.5 * sin(Double(start + $0) * .pi / 24)) }
    return try #require(
      SampleBuffer(
        interleaved: samples, channelLayout: .mono, sampleRate: 48000, at: time(start, 48000)))
  }

  /// Adds these inputs to a writer, starts it, and starts the session at zero.
  static func start(_ writer: AssetWriter, _ inputs: [AssetWriterInput]) throws {
    for input in inputs { try writer.add(input) }
    try #require(writer.startWriting(), "\(String(describing: writer.error))")
    writer.startSession(atSourceTime: .zero)
  }

  /// Feeds one second of gray frames and of a tone, alternating between the inputs.
  static func feedASecond(_ inputs: [AssetWriterInput]) throws {
    for number in 0..<25 {
      for input in inputs {
        let sample = try input.mediaType == .video ? picture(number) : tone(number * 1920)
        try #require(input.append(sample))
      }
    }
  }

  /// Returns the output of ffprobe.
  ///
  /// The test fails if ffprobe prints a warning.
  static func probe(_ path: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["ffprobe", "-v", "warning", "-of", "csv=p=0"] + arguments + [path]
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(complaints.isEmpty, "\(String(decoding: complaints, as: UTF8.self))")
    #expect(process.terminationStatus == 0)
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the types of the top-level boxes of an MP4 file.
  static func boxes(_ path: String) throws -> [String] {
    let data = try Data(contentsOf: URL(filePath: path))
    var types: [String] = []
    var place = 0
    while place + 8 <= data.count {
      let size = data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      types.append(String(decoding: data[place + 4..<place + 8], as: UTF8.self))
      guard size >= 8 else { break }
      place += size
    }
    return types
  }

  /// Returns `true` if the file contains these bytes, such as the type of a box.
  static func contains(_ path: String, _ text: String) throws -> Bool {
    try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
  }

  static func track(_ path: String, _ type: MediaType) throws -> TrackDescription {
    let asset = Asset(path: path, registry: Pipeline.registry)
    return try #require(try asset.tracks(withMediaType: type).first).formatDescription.track
  }
}

/// A thread-safe counter that starts at 0.
final class Counter: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .acquiring) }
  func next() -> Int { value.add(1, ordering: .acquiringAndReleasing).oldValue }
}
