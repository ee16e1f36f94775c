import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Documented rules for readers and their outputs, one test for each.
@Suite struct ReaderRules {
  /// Returns a started reader of a movie, with decoded video and stored audio samples.
  private func reading(_ prepare: ([AssetReaderTrackOutput]) -> Void = { _ in }) throws
    -> (AssetReader, [AssetReaderTrackOutput])
  {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let outputs = try [MediaType.video, .audio].map { type in
      AssetReaderTrackOutput(
        track: try #require(try asset.tracks(withMediaType: type).first),
        settings: type == .video ? .video() : nil)
    }
    prepare(outputs)
    for output in outputs { try reader.add(output) }
    try #require(reader.startReading())
    return (reader, outputs)
  }

  @Test(.rule) func `an output belongs to tracks of the reader's asset`() throws {
    let path = Pipeline.clip("pattern-h264.mp4")
    let reader = try AssetReader(asset: Asset(path: path, registry: Pipeline.registry))
    let other = Asset(path: path, registry: Pipeline.registry)
    let output = AssetReaderTrackOutput(track: try other.tracks()[0], settings: nil)
    #expect(!reader.canAdd(output))
    #expect(throws: MediaError.self) { try reader.add(output) }
  }

  @Test(.rule) func `a reader is completed after every output has returned nil`() throws {
    let (reader, outputs) = try reading()
    while outputs[0].copyNextSampleBuffer() != nil {}
    #expect(reader.status == .reading)
    while outputs[1].copyNextSampleBuffer() != nil {}
    #expect(reader.status == .completed && reader.error == nil)
  }

  @Test(.rule) func `a canceled reader returns nil and has no error`() throws {
    let (reader, outputs) = try reading()
    #expect(outputs[0].copyNextSampleBuffer() != nil)
    reader.cancelReading()
    #expect(outputs[0].copyNextSampleBuffer() == nil)
    #expect(reader.status == .cancelled && reader.error == nil)
  }

  @Test(.rule)
  func `ranges are read again after nil, in increasing order, until the configuration is final`()
    throws
  {
    let (reader, outputs) = try reading { $0[0].supportsRandomAccess = true }
    let (output, other) = (outputs[0], outputs[1])
    let first = TimeRange(start: Writing.time(5), duration: Writing.time(5))
    let second = TimeRange(start: Writing.time(20), duration: Writing.time(5))
    #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [first]) }
    while output.copyNextSampleBuffer() != nil {}
    while other.copyNextSampleBuffer() != nil {}
    #expect(reader.status == .reading)
    #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [second, first]) }
    #expect(throws: MediaError.self) { try other.reset(forReadingTimeRanges: [first]) }
    try output.reset(forReadingTimeRanges: [first, second])
    var times: [MediaTime] = []
    while let sample = output.copyNextSampleBuffer() {
      times.append(sample.presentationTimeStamp)
    }
    #expect(times == (Array(5..<10) + Array(20..<25)).map { Writing.time($0) })
    output.markConfigurationAsFinal()
    #expect(reader.status == .completed)
    #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [first]) }
  }

  @Test(arguments: [MediaTime.invalid, .indefinite, .positiveInfinity, .negativeInfinity])
  func `a time range that is not numeric fails the start`(start: MediaTime) throws {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    try reader.add(AssetReaderTrackOutput(track: try asset.tracks()[0], settings: nil))
    reader.timeRange = TimeRange(start: start, duration: Writing.time(5))
    #expect(!reader.startReading())
    #expect(reader.status == .failed && reader.error?.code == .invalidArgument)
    #expect(reader.error?.message == "the time range to read is not numeric")
  }

  @Test(.rule("The tracks of a reader's outputs belong to its asset"))
  func `a track that has been removed from its composition cannot be read`() throws {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let film = MutableComposition()
    try film.insertTimeRangeAndWait(
      TimeRange(start: .zero, duration: Writing.time(5)), of: asset, at: .zero)
    let outputs = film.tracks().map { AssetReaderTrackOutput(track: $0, settings: nil) }
    film.removeTrack(film.compositionTracks[0])
    let reader = try AssetReader(asset: film)
    #expect(outputs.map { reader.canAdd($0) } == [false, true])
  }

  @Test func `an output belongs to one reader, even after that is released`() throws {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let output = AssetReaderTrackOutput(track: try asset.tracks()[0], settings: nil)
    func read() throws {
      let reader = try AssetReader(asset: asset)
      try reader.add(output)
      try #require(reader.startReading())
      while output.copyNextSampleBuffer() != nil {}
    }
    try read()
    #expect(output.reader == nil)
    let next = try AssetReader(asset: asset)
    #expect(!next.canAdd(output))
    #expect(throws: MediaError.self) { try next.add(output) }
  }

  @Test(arguments: [nil, AssetReaderTrackOutput.Settings.video()])
  func `after the end of a track there is nothing`(settings: AssetReaderTrackOutput.Settings?)
    throws
  {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    for (start, isThere) in [(Writing.time(49), true), (Writing.time(50), false)] {
      let reader = try AssetReader(asset: asset)
      let output = AssetReaderTrackOutput(track: try asset.tracks()[0], settings: settings)
      try reader.add(output)
      reader.timeRange = TimeRange(start: start, duration: .positiveInfinity)
      try #require(reader.startReading())
      #expect((output.copyNextSampleBuffer() != nil) == isThere)
      while output.copyNextSampleBuffer() != nil {}
      #expect(reader.status == .completed)
    }
  }

  @Test(.rule) func `the time range does not change after reading has started`() throws {
    let (reader, _) = try reading()
    reader.timeRange = .zero
    #expect(reader.timeRange.duration == .positiveInfinity)
  }

  @Test(.rule("A reader's time range is zero to positive infinity unless it is set"))
  func `a reader reads everything and copies sample data by default`() throws {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let pictures = try asset.tracks(withMediaType: .video)
    let sounds = try asset.tracks(withMediaType: .audio)
    let outputs: [AssetReaderOutput] = [
      AssetReaderTrackOutput(track: pictures[0], settings: nil),
      AssetReaderAudioMixOutput(audioTracks: sounds),
      AssetReaderVideoCompositionOutput(videoTracks: pictures),
      AssetReaderSampleReferenceOutput(track: pictures[0]),
    ]
    #expect(reader.timeRange == TimeRange(start: .zero, duration: .positiveInfinity))
    #expect(outputs.allSatisfy { $0.alwaysCopiesSampleData && !$0.supportsRandomAccess })
    #expect(reader.status == .unknown && reader.error == nil && reader.outputs.isEmpty)
  }

  @Test(.rule("Sample data is copied unless that is turned off before reading starts"))
  func `alwaysCopiesSampleData does not change after reading has started`() throws {
    let (_, outputs) = try reading { $0[0].alwaysCopiesSampleData = false }
    for output in outputs { output.alwaysCopiesSampleData.toggle() }
    #expect(outputs.map(\.alwaysCopiesSampleData) == [false, true])
  }
}
