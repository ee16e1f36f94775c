import RespoolMedia
import Testing

@testable import Respool

/// Eye and ear after every combination of a trim, a change of speed, a join and an edit list.
///
/// The clip flashes at 0.52 s and 1.52 s and beeps 20 ms before, so that a flash has to be seen 20 ms, as
/// long as the speed makes them, after its beep.
@Suite struct EyeAndEar {
  private static let flashes = [0.52, 1.52]
  private static let beeps = [0.5, 1.5]
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  struct Edits: CustomTestStringConvertible, Sendable {
    var isTrimmed, isScaled, isJoined, hasEditList: Bool
    var testDescription: String {
      [(isTrimmed, "trim"), (isScaled, "scale"), (isJoined, "concat"), (hasEditList, "edit list")]
        .filter(\.0).map(\.1).joined(separator: " + ")
    }

    static let all = (0..<16).map {
      Edits(
        isTrimmed: $0 & 1 != 0, isScaled: $0 & 2 != 0, isJoined: $0 & 4 != 0,
        hasEditList: $0 & 8 != 0)
    }
  }

  private func time(_ milliseconds: Int64) -> MediaTime {
    MediaTime(value: milliseconds, timescale: 1000)
  }

  /// A copy whose edit list begins `start` milliseconds into the media of both tracks.
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
    writer.finishWriting()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return Asset(path: writer.path, registry: Pipeline.registry)
  }

  @Test(arguments: Edits.all)
  func `a flash and its beep stay together`(edits: Edits) throws {
    // Whole pictures of 40 ms.
    let hidden: Int64 = edits.hasEditList ? 280 : 0
    let asset =
      edits.hasEditList
      ? try copy(from: hidden)
      : Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
    let whole = 2000 - hidden
    let part = (start: Int64(edits.isTrimmed ? 160 : 0), end: edits.isTrimmed ? 1680 : whole)
    let rate = edits.isScaled ? 1.25 : 1
    let composition = MutableComposition()
    try composition.insertTimeRange(
      TimeRange(start: time(part.start), end: time(part.end)), of: asset, at: .zero)
    let length = Int64(Double(part.end - part.start) * rate)
    if edits.isScaled {
      composition.scaleTimeRange(
        TimeRange(start: .zero, duration: time(part.end - part.start)), toDuration: time(length))
    }
    if edits.isJoined {
      try composition.insertTimeRange(
        TimeRange(start: .zero, end: time(whole)), of: asset, at: .invalid)
    }

    func expected(_ times: [Double]) -> [Double] {
      func inPart(_ time: Double) -> Double { time - Double(hidden + part.start) / 1000 }
      let first = times.map(inPart).filter { $0 >= 0 && $0 < Double(part.end - part.start) / 1000 }
        .map { $0 * rate }
      guard edits.isJoined else { return first }
      return first + times.map { $0 - Double(hidden) / 1000 + Double(length) / 1000 }
    }
    let pictures = try Pipeline.samples(of: composition, .video, .video(pixelFormat: .yuv420p))
    let reader = try AssetReader(asset: composition)
    let output = AssetReaderAudioMixOutput(
      audioTracks: try composition.tracks(withMediaType: .audio))
    output.audioTimePitchAlgorithm = .varispeed
    try reader.add(output)
    try #require(reader.startReading())
    var blocks: [SampleBuffer] = []
    while let block = output.copyNextSampleBuffer() { blocks.append(block) }
    let (seen, heard) = (try pictures.flashes(), try Sound(blocks).onsets())
    #expect(seen.count == expected(Self.flashes).count, "\(seen)")
    #expect(heard.count == expected(Self.beeps).count, "\(heard)")
    for (time, wanted) in zip(seen, expected(Self.flashes)) {
      #expect(abs(time - wanted) < 0.005, "\(seen)")
    }
    for (time, wanted) in zip(heard, expected(Self.beeps)) {
      #expect(abs(time - wanted) < 0.005, "\(heard)")
    }
  }
}
