import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Comparison of outputs with their sources, which reports each difference.
@Suite struct OutputCheckTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private var video: TrackDescription {
    var track = TrackDescription(kind: .video, codec: "hevc", timeBase: Rational(1, 90_000))
    (track.width, track.height) = (1920, 1080)
    track.language = "eng"
    track.disposition = [.default, .forced]
    track.displayMatrix = DisplayMatrix(clockwiseDegrees: 90)
    track.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, range: .limited)
    track.sideData = [SideData("mdcv", [1]), SideData("clli", [2])]
    track.metadata = [MetadataEntry("title", "Camera 1")]
    track.fieldOrder = .topFirst
    return track
  }

  private var media: MediaDescription {
    MediaDescription(
      format: "matroska,webm", tracks: [video],
      metadata: [
        MetadataEntry("title", "A film"), MetadataEntry("TRACKTOTAL", "12"),
        MetadataEntry("track", "3"), MetadataEntry("location", "+40.41238-003.70123/"),
        MetadataEntry("creation_time", "2024-05-01T10:00:00.000000Z"),
        MetadataEntry("encoder", "Lavf60"), MetadataEntry("major_brand", "isom"),
      ],
      chapters: [.init(id: 1, start: 0, end: 10, title: "One")])
  }

  private func losses(
    in output: MediaDescription, preset name: String = "remux-mp4"
  ) throws -> [String] {
    let preset = try Pipeline.preset(name)
    let settings = try PresetResolver.resolve(
      preset: preset, source: media, available: Pipeline.registry.availablePlugins)
    let check = OutputCheck(
      source: media, settings: settings, tags: FileTags(of: media), trackTags: nil)
    return check.losses(in: output)
  }

  @Test func `no loss is named if the output states the same in its own way`() throws {
    var output = media
    output.metadata = [
      MetadataEntry("title", "A film"), MetadataEntry("track", "3/12"),
      MetadataEntry("location", "+40.4124-003.7012/"),
      MetadataEntry("creation_time", "2024-05-01 10:00:00"),
    ]
    output.tracks[0].language = "en"
    #expect(try losses(in: output) == [])
  }

  @Test func `each missing fact is named once`() throws {
    var output = media
    (output.metadata, output.chapters) = ([], [])
    output.tracks[0] = TrackDescription(
      kind: .video, codec: "hevc", timeBase: Rational(1, 90_000))
    let losses = try losses(in: output)
    for words in [
      "lost: the title (A film)", "lost: the title of track 1 (Camera 1)",
      "lost: the track (3)", "lost: the tracktotal (12)",
      "lost: the location (+40.41238-003.70123/)",
      "lost: the creation_time (2024-05-01T10:00:00.000000Z)",
      "lost: the language of track 1 (eng)", "lost: the forced flag of track 1 (set)",
      "lost: the rotation of track 1 (90 degrees)", "lost: the color primaries of track 1 (9)",
      "lost: the color transfer of track 1 (16)", "lost: the color matrix of track 1 (9)",
      "lost: the interlacing of track 1 (top field first)",
      "lost: the mastering display metadata of track 1",
      "lost: the content light level metadata of track 1",
      "lost: the number of chapters (1)", "lost: the chapter titles (One)",
    ] { #expect(losses.count { $0 == words } == 1, "\(words) is not in \(losses)") }
    #expect(losses.count == 18, "\(losses)")
  }

  @Test func `a different fact is named with both values`() throws {
    var output = media
    output.tracks[0].language = "fra"
    #expect(
      try losses(in: output) == [
        "changed: the language of track 1 from eng to fra"
      ])
  }

  @Test func `a missing track is named with its facts`() throws {
    var output = media
    output.tracks = []
    let losses = try losses(in: output)
    #expect(losses.count == 1)
    #expect(losses[0].hasPrefix("track 1 (hevc video; "), "\(losses)")
    #expect(losses[0].contains("language eng") && losses[0].contains("rotation 90 degrees"))
  }

  @Test func `chapters that the preset drops are not named`() throws {
    var preset = try Pipeline.preset("remux-mp4")
    preset.chapters = .drop
    let settings = try PresetResolver.resolve(
      preset: preset, source: media, available: Pipeline.registry.availablePlugins)
    var output = media
    output.chapters = []
    let check = OutputCheck(
      source: media, settings: settings, tags: FileTags(of: media), trackTags: nil)
    #expect(check.losses(in: output) == [])
  }

  @Test func `an export names the facts that the container cannot store`() throws {
    let source = scratch.path("source.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("speech.wav"), "-metadata", "title=A talk",
        "-metadata:s:a:0", "title=Microphone", "-metadata:s:a:0", "language=fre", "-c:a", "flac",
        source,
      ])
    let report = try Pipeline.export(source, "wav", to: scratch.path("talk.wav"))
    #expect(
      report.losses.sorted() == [
        "lost: the language of track 1 (fre)", "lost: the title of track 1 (Microphone)",
      ])
  }

  /// Readers of Vorbis comments join the values of a name.
  @Test func `one of several dates is kept`() {
    let dates = ["2018-03-21T12:31:05.000000Z", "2016-05-31 17:01:35"]
    for date in dates {
      #expect(
        MediaFact.Property.tag("creation_time").isKept(date, in: [dates.joined(separator: ";")]))
    }
    #expect(!MediaFact.Property.tag("creation_time").isKept("2017-01-01", in: dates))
  }
}
