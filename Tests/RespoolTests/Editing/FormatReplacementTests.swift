import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Sample descriptions that a composition replaces with others than those of the files.
@Suite struct FormatReplacementTests {
  let scratch: Scratch
  let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
  let wide = ColorDescription(primaries: 9, transfer: 14, matrix: 9, range: .limited)

  init() throws { scratch = try Scratch() }

  private func film(_ name: String, _ type: MediaType) throws -> (
    MutableComposition, MutableCompositionTrack
  ) {
    let asset = Asset(path: Pipeline.clip(name), registry: Pipeline.registry)
    let film = MutableComposition()
    let track = try #require(film.addMutableTrack(withMediaType: type))
    try track.insertTimeRange(
      second, of: try #require(try asset.tracks(withMediaType: type).first), at: .zero)
    return (film, track)
  }

  /// Returns the only format description of a track, changed by `change`.
  private func changed(_ track: CompositionTrack, _ change: (inout TrackDescription) -> Void)
    throws -> FormatDescription
  {
    try #require(track.formatDescriptions.count == 1)
    var described = track.formatDescriptions[0].track
    change(&described)
    return FormatDescription(described)
  }

  private func samples(_ asset: Asset, _ settings: AssetReaderTrackOutput.Settings?) throws
    -> [SampleBuffer]
  {
    try Pipeline.samples(of: asset, try asset.tracks()[0].mediaType, settings)
  }

  private func rows(_ picture: PixelBuffer) throws -> [[UInt8]] {
    try picture.withPlane(0) { bytes, row in
      (0..<picture.height).map { Array(bytes[$0 * row..<$0 * row + picture.width]) }
    }
  }

  @Test(
    .rule("A format description of a track can be replaced, and the replacement can be canceled"))
  func `frames have the replaced color, stored and decoded`() throws {
    let (film, track) = try film("pattern-h264.mp4", .video)
    let plain = try samples(film, .video())
    let original = track.formatDescriptions[0]
    try #require(original.track.color != wide)
    let replacement = try changed(track) { $0.color = wide }
    try track.replaceFormatDescription(original, with: replacement)

    #expect(track.formatDescriptions == [original])
    #expect(
      track.formatDescriptionReplacements.map(\.originalFormatDescription) == [original]
        && track.formatDescriptionReplacements.map(\.replacementFormatDescription)
          == [replacement]
    )
    #expect(track.formatDescription.track.color == wide)
    #expect(try samples(film, nil).allSatisfy { $0.formatDescription.track.color == wide })
    let decoded = try samples(film, .video())
    try #require(decoded.count == plain.count && decoded.count == 25)
    for (one, other) in zip(decoded, plain) {
      let (picture, before) = (try #require(one.imageBuffer), try #require(other.imageBuffer))
      #expect(picture.frame.color.primaries == 9 && picture.frame.color.matrix == 9)
      #expect(picture.frame.color.transfer == 14 && before.frame.color.primaries != 9)
      #expect(try rows(picture) == rows(before))
    }

    // Without the replacement, the file's description applies again.
    try track.replaceFormatDescription(original, with: nil)
    #expect(track.formatDescriptionReplacements.isEmpty)
    #expect(try samples(film, .video()).allSatisfy { $0.imageBuffer?.frame.color.primaries != 9 })

    // A removed range may be inserted again, so its replacement is kept and can still be canceled.
    try track.replaceFormatDescription(original, with: replacement)
    track.removeTimeRange(second)
    #expect(track.formatDescriptions.isEmpty)
    try track.replaceFormatDescription(original, with: nil)
    #expect(track.formatDescriptionReplacements.isEmpty)
  }

  @Test func `a file that is exported in pass-through has the replaced description`() async throws {
    let (film, track) = try film("pattern-h264.mp4", .video)
    try track.replaceFormatDescription(
      track.formatDescriptions[0],
      with: try changed(track) {
        $0.color = wide
        $0.sampleAspect = Rational(4, 3)
      })
    let session = try ExportSession(
      asset: film, presetName: "AVAssetExportPresetPassthrough", container: "mov",
      registry: Pipeline.registry)
    let path = scratch.path("wide.mov")
    #expect(try await session.export(to: path).isCopy)
    let written = try Asset(path: path, registry: Pipeline.registry).tracks()[0].formatDescription
    #expect(written.track.color.primaries == 9 && written.track.color.matrix == 9)
    #expect(written.track.sampleAspect == Rational(4, 3))
  }

  @Test func `another pixel aspect ratio changes the size`() throws {
    let (film, track) = try film("pattern-h264.mp4", .video)
    let (before, height) = (track.naturalSize.width, track.naturalSize.height)
    try track.replaceFormatDescription(
      track.formatDescriptions[0], with: try changed(track) { $0.sampleAspect = Rational(2, 1) })
    #expect(track.naturalSize == (before * 2, height))
    #expect(film.naturalSize == (before * 2, height))
    #expect(
      try VideoComposition(propertiesOf: film).renderSize
        == VideoDimensions(width: Int(before) * 2, height: Int(height)))
  }

  @Test func `channels have the replaced layout`() throws {
    let (film, track) = try film("tones-5.1.wav", .audio)
    let plain = try Sound(samples(film, .audio(sampleFormat: .fltp)))
    let side = ChannelLayout(mask: 0x60F)
    try #require(plain.count > 0 && plain.layout.channelCount == 6 && plain.layout != side)
    try track.replaceFormatDescription(
      track.formatDescriptions[0], with: try changed(track) { $0.channelLayout = side })
    let described = try Sound(samples(film, .audio(sampleFormat: .fltp)))
    #expect(described.layout == side && described.channels == plain.channels)
    #expect(AssetReaderAudioMixOutput(audioTracks: [track]).audioFormat.channelLayout == side)
  }

  @Test func `only samples with that description are affected`() throws {
    let (film, track) = try film("pattern-h264.mp4", .video)
    let other = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
    try track.insertTimeRange(
      second, of: try #require(try other.tracks(withMediaType: .video).first), at: .invalid)
    let formats = track.formatDescriptions
    try #require(formats.count == 2)
    var described = formats[1].track
    described.color = wide
    try track.replaceFormatDescription(formats[1], with: FormatDescription(described))
    let colors = try samples(film, .video()).map {
      ($0.presentationTimeStamp.seconds, $0.imageBuffer)
    }
    #expect(!colors.isEmpty)
    for (time, picture) in colors { #expect((picture?.frame.color.primaries == 9) == (time >= 1)) }
  }

  @Test func `only the second of two descriptions of a track is affected`()
    async throws
  {
    let (film, track) = try film("pattern-h264.mp4", .video)
    let other = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
    try track.insertTimeRange(
      second, of: try #require(try other.tracks(withMediaType: .video).first), at: .invalid)
    let path = scratch.path("two.mov")
    let session = try ExportSession(
      asset: film, presetName: "AVAssetExportPresetPassthrough", container: "mov",
      registry: Pipeline.registry)
    #expect(try await session.export(to: path).isCopy)

    let again = MutableComposition()
    let file = Asset(path: path, registry: Pipeline.registry)
    try await again.insertTimeRange(
      TimeRange(start: .zero, duration: second.duration + second.duration), of: file, at: .zero)
    let joined = try #require(again.mutableTracks.first)
    let formats = joined.formatDescriptions
    try #require(formats.count == 2)
    var described = formats[1].track
    described.color = wide
    try joined.replaceFormatDescription(formats[1], with: FormatDescription(described))
    let pictures = try samples(again, .video())
    #expect(pictures.count == 50)
    for picture in pictures {
      let isSecond = picture.presentationTimeStamp.seconds >= 1
      #expect((picture.imageBuffer?.frame.color.primaries == 9) == isSecond)
    }
  }

  @Test func `copies and clips in other compositions keep the replacement`() throws {
    let (film, track) = try film("pattern-h264.mp4", .video)
    let original = track.formatDescriptions[0]
    try track.replaceFormatDescription(original, with: try changed(track) { $0.color = wide })
    let copy = film.copy()
    let other = MutableComposition()
    try other.insertTimeRangeAndWait(second, of: film, at: .zero)
    try track.replaceFormatDescription(original, with: nil)
    for kept in [copy, other] {
      #expect(try samples(kept, nil).allSatisfy { $0.formatDescription.track.color == wide })
      let pictures = try samples(kept, .video())
      #expect(pictures.count == 25)
      #expect(pictures.allSatisfy { $0.imageBuffer?.frame.color.primaries == 9 })
    }
    #expect(try samples(film, nil).allSatisfy { $0.formatDescription.track.color != wide })
  }

  @Test(.rule) func `a replacement of another media type is rejected`() throws {
    let (_, track) = try film("tones-5.1.wav", .audio)
    let original = track.formatDescriptions[0]
    let changes: [(inout TrackDescription) -> Void] = [
      { $0.kind = .video }, { $0.codec = "pcm_mulaw" }, { $0.sampleRate = 1 },
      { $0.channelLayout = .stereo },
    ]
    for change in changes {
      let error = try #require(throws: MediaError.self) {
        try track.replaceFormatDescription(original, with: try changed(track, change))
      }
      #expect(error.code == .invalidArgument)
    }
    let stranger = FormatDescription(audioCodec: "opus", sampleRate: 48000, channelLayout: .stereo)
    #expect(throws: MediaError.self) {
      try track.replaceFormatDescription(stranger, with: stranger)
    }
    #expect(track.formatDescriptionReplacements.isEmpty)
  }
}
