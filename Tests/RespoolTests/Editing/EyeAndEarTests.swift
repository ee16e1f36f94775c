import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Synchronization of video and audio after every combination of trim, speed change, join and edit list.
///
/// The clip flashes at 0.52 s and 1.52 s and beeps 20 ms before each flash. After the edits, each flash must
/// follow its beep by these 20 ms, multiplied by the scale of its clip.
@Suite struct EyeAndEar {
  private static let flashes = [0.52, 1.52]
  private static let beeps = [0.5, 1.5]
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  struct Edits: CustomTestStringConvertible, Sendable {
    var isTrimmed, isJoined, hasEditList: Bool
    /// The duration after the edit, as a multiple of the original duration.
    var scale: Double
    var testDescription: String {
      [
        (isTrimmed, "trim"), (scale != 1, "scale x\(scale)"), (isJoined, "concat"),
        (hasEditList, "edit list"),
      ].filter(\.0).map(\.1).joined(separator: " + ")
    }

    static let all: [Edits] = [1, 0.8, 1.25, 2].flatMap { (scale: Double) in
      (0..<8).map { (edits: Int) in
        Edits(
          isTrimmed: edits & 1 != 0, isJoined: edits & 2 != 0, hasEditList: edits & 4 != 0,
          scale: scale)
      }
    }
  }

  private func time(_ milliseconds: Int64) -> MediaTime {
    MediaTime(value: milliseconds, timescale: 1000)
  }

  /// Creates a copy whose edit list begins `start` milliseconds into the media of both tracks.
  private func copy(from start: Int64) throws -> Asset {
    let asset = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let writer = try Writing.writer(scratch, "edited.mp4")
    var pairs: [(AssetReaderTrackOutput, AssetWriterInput)] = []
    for track in try asset.tracks() {
      let output = AssetReaderTrackOutput(track: track, settings: nil)
      let input = AssetWriterInput(
        mediaType: track.mediaType, settings: nil, sourceFormatHint: track.formatDescription)
      try reader.add(output)
      try writer.add(input)
      pairs.append((output, input))
    }
    try #require(reader.startReading() && writer.startWriting())
    writer.startSession(atSourceTime: time(start))
    for (output, input) in pairs {
      while let sample = output.copyNextSampleBuffer() { try #require(input.append(sample)) }
      input.markAsFinished()
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return Asset(path: writer.path, registry: Pipeline.registry)
  }

  private struct Edited {
    let composition: MutableComposition
    let flashes: [Double]
    let beeps: [Double]
  }

  private func edited(_ edits: Edits) throws -> Edited {
    // Multiples of the frame duration, 40 ms.
    let hidden: Int64 = edits.hasEditList ? 280 : 0
    let asset =
      edits.hasEditList
      ? try copy(from: hidden)
      : Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
    let whole = 2000 - hidden
    let part = (start: Int64(edits.isTrimmed ? 160 : 0), end: edits.isTrimmed ? 1680 : whole)
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(
      TimeRange(start: time(part.start), end: time(part.end)), of: asset, at: .zero)
    let length = Int64(Double(part.end - part.start) * edits.scale)
    if edits.scale != 1 {
      composition.scaleTimeRange(
        TimeRange(start: .zero, duration: time(part.end - part.start)), toDuration: time(length))
    }
    if edits.isJoined {
      try composition.insertTimeRangeAndWait(
        TimeRange(start: .zero, end: time(whole)), of: asset, at: .invalid)
    }

    func expected(_ times: [Double]) -> [Double] {
      func inPart(_ time: Double) -> Double { time - Double(hidden + part.start) / 1000 }
      let first = times.map(inPart).filter { $0 >= 0 && $0 < Double(part.end - part.start) / 1000 }
        .map { $0 * edits.scale }
      guard edits.isJoined else { return first }
      return first + times.map { $0 - Double(hidden) / 1000 + Double(length) / 1000 }
    }
    return Edited(
      composition: composition, flashes: expected(Self.flashes), beeps: expected(Self.beeps))
  }

  private func expect(_ times: [Double], _ wanted: [Double], _ comment: String = "") {
    #expect(times.count == wanted.count, "\(comment) \(times)")
    for (time, wanted) in zip(times, wanted) {
      #expect(abs(time - wanted) < 0.005, "\(comment) \(times)")
    }
  }

  @Test(arguments: Edits.all.filter { $0.isTrimmed || $0.isJoined })
  func `a flash and its beep stay together in an encoded file`(edits: Edits) throws {
    let edited = try edited(edits)
    let session = try ExportSession(
      asset: edited.composition, preset: try Pipeline.preset("web-480p"),
      registry: Pipeline.registry, threads: 2)
    let path = scratch.path("encoded.mp4")
    _ = try session.exportAndWait(to: path)
    expect(try Pipeline.pictures(path).flashes(), edited.flashes)
    expect(try Pipeline.sound(path).onsets(), edited.beeps)
  }

  @Test(arguments: Edits.all.filter { $0.scale == 1 })
  func `a flash and its beep stay together in pass-through`(edits: Edits) throws {
    let edited = try edited(edits)
    let session = try ExportSession(
      asset: edited.composition, presetName: ExportPreset.passthrough.rawValue, container: "mp4",
      registry: Pipeline.registry)
    let path = scratch.path("joined.mp4")
    #expect(try session.exportAndWait(to: path).isCopy)
    expect(try Pipeline.pictures(path).flashes(), edited.flashes)
    expect(try Pipeline.sound(path).onsets(), edited.beeps)
  }

  @Test(arguments: Edits.all)
  func `a flash and its beep stay together with every pitch`(edits: Edits) throws {
    let edited = try edited(edits)
    let pictures = try Pipeline.samples(
      of: edited.composition, .video, .video(pixelFormat: .yuv420p))
    expect(try pictures.flashes(), edited.flashes)
    for pitch in [AudioTimePitchAlgorithm.spectral, .timeDomain, .varispeed] {
      let reader = try AssetReader(asset: edited.composition)
      let output = AssetReaderAudioMixOutput(
        audioTracks: try edited.composition.tracks(withMediaType: .audio))
      output.audioTimePitchAlgorithm = pitch
      try reader.add(output)
      try #require(reader.startReading())
      var blocks: [SampleBuffer] = []
      while let block = output.copyNextSampleBuffer() { blocks.append(block) }
      expect(try Sound(blocks).onsets(), edited.beeps, pitch.rawValue)
    }
  }

  @Test(arguments: Edits.all)
  func `a beep is exported at its time`(edits: Edits) throws {
    let edited = try edited(edits)
    let session = try ExportSession(
      asset: edited.composition, preset: try Pipeline.preset("wav"), registry: Pipeline.registry)
    let path = scratch.path("edited.wav")
    _ = try session.exportAndWait(to: path)
    expect(try Pipeline.sound(path).onsets(), edited.beeps)
  }
}
