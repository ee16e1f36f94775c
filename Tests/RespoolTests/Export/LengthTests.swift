import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Durations of sources and outputs, in audio samples and ticks.
@Suite struct Lengths {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `FLAC becomes WAV bit for bit`() throws {
    try Pipeline.export(Pipeline.clip("speech-flac.flac"), "wav", to: scratch.path("out.wav"))
    let made = try Pipeline.sound(scratch.path("out.wav"))
    let source = try Pipeline.sound(Pipeline.clip("speech-flac.flac"))
    #expect(source.count == 55125)
    #expect(made.channels == source.channels)
  }

  @Test func `Opus that is copied decodes to the same samples`() throws {
    let clip = Pipeline.clip("speech-opus.opus")
    let report = try Pipeline.export(clip, "opus-128k", to: scratch.path("out.opus"))
    #expect(report.isCopy)
    let source = try Pipeline.sound(clip)
    #expect(source.count == 120_000)
    #expect(try Pipeline.sound(scratch.path("out.opus")).channels == source.channels)
  }

  @Test(arguments: ["remux-mp4", "remux-mkv"])
  func `Opus keeps its length in other containers`(preset: String) throws {
    let clip = Pipeline.clip("speech-opus.opus")
    let report = try Pipeline.export(clip, preset, to: scratch.path("out"))
    #expect(report.isCopy)
    #expect(try Pipeline.sound(scratch.path("out")).channels == Pipeline.sound(clip).channels)
  }

  @Test func `MP3 has the length that its encoder stored`() throws {
    // 2.5 s at 44,100 Hz. The LAME tag states delay and padding.
    #expect(try Pipeline.sound(Pipeline.clip("speech-mp3.mp3")).count == 110_250)
  }

  @Test(arguments: ["web-480p", "webm-720p", "remux-mp4", "remux-mkv"])
  func `times of a variable frame rate survive`(preset: String) throws {
    let source = try Pipeline.pictures(Pipeline.clip("variable.mp4"))
    try Pipeline.export(Pipeline.clip("variable.mp4"), preset, to: scratch.path("out"))
    let made = try Pipeline.pictures(scratch.path("out"))
    #expect(source.map(\.duration).count { $0 != source[0].duration } > 3)
    #expect(made.map(\.presentationTimeStamp) == source.map(\.presentationTimeStamp))
  }

  @Test
  func `a track has its presented duration, and repeats its frames if its edits do`()
    throws
  {
    let clip = Asset(path: Pipeline.clip("variable.mp4"), registry: Pipeline.registry)
    let track = try #require(try clip.tracks(withMediaType: .video).first)
    let pictures = try Pipeline.pictures(Pipeline.clip("variable.mp4"))
    let last = try #require(pictures.last)
    // The edit list ends the track within its last frame.
    #expect(track.timeRange.duration == MediaTime(value: 192, timescale: 100))
    #expect(track.timeRange.duration > last.presentationTimeStamp)
    #expect(track.timeRange.duration <= last.presentationTimeStamp + last.duration)

    let film = MutableComposition()
    let both = try #require(film.addMutableTrack(withMediaType: .video))
    try both.insertTimeRange(track.timeRange, of: track, at: .zero)
    try both.insertTimeRange(track.timeRange, of: track, at: track.timeRange.duration)
    let reader = try AssetReader(asset: film)
    let output = AssetReaderTrackOutput(track: both, settings: .video())
    try reader.add(output)
    #expect(reader.startReading())
    var times: [MediaTime] = []
    while let sample = output.copyNextSampleBuffer() { times.append(sample.presentationTimeStamp) }
    let first = pictures.map(\.presentationTimeStamp)
    #expect(times == first + first.map { $0 + track.timeRange.duration })
  }

  @Test func `frames that an edit list hides stay hidden where there is no edit list`() throws {
    let session = try ExportSession(
      input: Pipeline.clip("portrait.mov"), preset: Pipeline.preset("remux-mp4"),
      registry: Pipeline.registry)
    session.timeRange = TimeRange(
      start: MediaTime(value: 7, timescale: 10), duration: MediaTime(value: 1, timescale: 1))
    #expect(try session.exportAndWait(to: scratch.path("cut.mp4")).isCopy)
    let wanted = try Pipeline.pictures(scratch.path("cut.mp4")).map(\.presentationTimeStamp)
    let report = try Pipeline.export(
      scratch.path("cut.mp4"), "remux-mkv", to: scratch.path("out.mkv"))
    #expect(!report.isCopy)
    let made = try Pipeline.pictures(scratch.path("out.mkv")).map(\.presentationTimeStamp)
    #expect(made.count == wanted.count)
    for (made, wanted) in zip(made, wanted) { #expect(abs((made - wanted).seconds) < 0.001) }
    let again = try Pipeline.export(
      scratch.path("cut.mp4"), "remux-mp4", to: scratch.path("again.mp4"))
    #expect(again.isCopy)
    #expect(
      try Pipeline.pictures(scratch.path("again.mp4")).map(\.presentationTimeStamp) == wanted)
  }

  /// The frequency of the tone in each channel of `tones-5.1.wav`.
  static let tones: [Double] = [300, 400, 500, 60, 700, 800]

  @Test(arguments: ["wav", "opus-128k", "aac-160k"])
  func `six channels stay six, each in its place`(preset: String) throws {
    try Pipeline.export(Pipeline.clip("tones-5.1.wav"), preset, to: scratch.path("out"))
    let sound = try Pipeline.sound(scratch.path("out"))
    try #require(sound.channels.count == 6)
    #expect(sound.layout.resolved == ChannelLayout(name: "5.1"))
    for (channel, tone) in Self.tones.enumerated() {
      let own = sound.power(of: tone, channel: channel)
      #expect(own > 0.005, "\(tone) Hz in channel \(channel): \(own)")
      for other in Self.tones where other != tone {
        #expect(sound.power(of: other, channel: channel) < own / 20, "\(other) Hz in \(channel)")
      }
    }
  }

  @Test(arguments: ["web-480p", "webm-720p"])
  func `six channels are mixed to two if the preset requests it`(preset: String) throws {
    let tones = try Pipeline.samples(Pipeline.clip("tones-5.1.wav"), .audio, .audio())
    let pictures = try Pipeline.pictures(Pipeline.clip("variable.mp4"))
    let writer = try AssetWriter(
      path: scratch.path("in.mkv"), container: "mkv", registry: Pipeline.registry)
    let video = AssetWriterInput(
      mediaType: .video, settings: .video(codec: "h264", width: 160, height: 90))
    let audio = AssetWriterInput(
      mediaType: .audio,
      settings: .audio(
        codec: "pcm_s24le", sampleRate: 48000, channelLayout: try #require(.init(name: "5.1"))))
    for input in [video, audio] { try writer.add(input) }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for sample in pictures.prefix(5) { try #require(video.append(sample)) }
    for sample in tones { try #require(audio.append(sample)) }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")

    try Pipeline.export(writer.path, preset, to: scratch.path("out"))
    let sound = try Pipeline.sound(scratch.path("out"))
    try #require(sound.channels.count == 2)
    // ITU-R BS.775: the left channel contains left, center and left surround; the right channel likewise.
    for (channel, ours, theirs) in [
      (0, [300.0, 500, 700], [400.0, 800]), (1, [400, 500, 800], [300, 700]),
    ] {
      let weakest = try #require(ours.map { sound.power(of: $0, channel: channel) }.min())
      let strongest = try #require(theirs.map { sound.power(of: $0, channel: channel) }.max())
      #expect(weakest > 10 * strongest)
    }
  }

  @Test func `MP4 keeps the matrix, WebM rotates the frames`() throws {
    let clip = Pipeline.clip("portrait.mov")
    let track = try #require(
      try Asset(path: clip, registry: Pipeline.registry).tracks(withMediaType: .video).first)
    let source = try #require(try Pipeline.pictures(clip).first)
    try #require(!track.preferredTransform.isIdentity)

    try Pipeline.export(clip, "web-480p", to: scratch.path("out.mp4"))
    try Pipeline.export(clip, "webm-720p", to: scratch.path("out.webm"))
    let lying = try #require(try Pipeline.pictures(scratch.path("out.mp4")).first)
    let upright = try #require(try Pipeline.pictures(scratch.path("out.webm")).first)
    let kept = try #require(
      try Asset(path: scratch.path("out.mp4"), registry: Pipeline.registry)
        .tracks(withMediaType: .video).first)
    #expect(kept.preferredTransform.orientation == track.preferredTransform.orientation)
    let (flat, turned) = (try #require(lying.frame), try #require(upright.frame))
    #expect((flat.width, flat.height) == (320, 180))
    #expect((turned.width, turned.height) == (180, 320))

    let converter = try FrameRotator(
      from: VideoFormat(try #require(source.frame)),
      orientation: track.preferredTransform.orientation)
    let shown = SampleBuffer(
      .frame(try converter.rotate(try #require(source.frame))), format: source.formatDescription,
      timeBase: Rational(1, 25))
    for (x, y) in [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5), (0.25, 0.75)] {
      let (columns, rows) = (x..<x + 0.25, y..<y + 0.25)
      let expected = try shown.brightness(x: columns, y: rows)
      #expect(abs(try upright.brightness(x: columns, y: rows) - expected) < 6)
      #expect(
        abs(try lying.brightness(x: columns, y: rows) - source.brightness(x: columns, y: rows)) < 6)
    }
  }
}
