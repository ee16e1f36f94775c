import PluginHost
import RespoolMedia
import Testing

/// Tags and chapters of WAVE files, stored in four kinds of chunks.
@Suite struct WaveTagTests {
  private let track = samplesTrack("pcm_s16le", bytes: 2)

  private func copy(
    _ metadata: [MetadataEntry], chapters: [MediaDescription.Chapter] = []
  ) throws -> (media: MediaDescription, file: MemoryFile) {
    let file = try waveFile(
      track, [packet(noise(48_000 * 4))], metadata: metadata, chapters: chapters)
    return (try read(file).media, file)
  }

  @Test func `tags without an INFO chunk are kept`() throws {
    let metadata = [
      MetadataEntry("title", "A"), MetadataEntry("ARTIST", "B"),
      MetadataEntry("album_artist", "C"), MetadataEntry("disc", "1/2"),
      MetadataEntry("lyrics", "La\nla"), MetadataEntry("REPLAYGAIN_TRACK_GAIN", "-3.21 dB"),
      MetadataEntry("isrc", "GBAYE0601498"), MetadataEntry("composer", "Ünïcode"),
    ]
    let back = try copy(metadata).media.metadata
    for entry in metadata {
      #expect(
        back.contains {
          $0.name.lowercased() == entry.name.lowercased() && $0.value == entry.value
        },
        "\(entry)")
    }
    #expect(back.count == metadata.count)
  }

  @Test(arguments: [":", "::", "POPM:", "UFID:", "WXXX:", "W", ":a"])
  func `names with empty parts are kept`(name: String) throws {
    let back = try copy([MetadataEntry(name, "7")]).media.metadata
    #expect(back.map(\.value) == ["7"], "\(back)")
  }

  /// libavformat ignores the ID3 tag of a file that also has a LIST chunk.
  @Test func `all tags are in one chunk`() throws {
    let title = MetadataEntry("title", "A")
    let (list, id3) = (Array("LIST".utf8), Array("id3 ".utf8))
    let plain = try copy([title]).file.bytes.prefix(200)
    #expect(plain.firstRange(of: list) != nil && plain.firstRange(of: id3) == nil)
    let rich = try copy([title, MetadataEntry("composer", "B")]).file.bytes.prefix(200)
    #expect(rich.firstRange(of: list) == nil && rich.firstRange(of: id3) != nil)
  }

  @Test func `a plain file has no chunk of tags`() throws {
    let file = try copy([MetadataEntry("encoder", "Lavf60")]).file
    for name in ["LIST", "id3 ", "bext", "cue "] {
      #expect(file.bytes.prefix(200).firstRange(of: Array(name.utf8)) == nil)
    }
  }

  @Test func `broadcast fields are kept`() throws {
    let metadata = [
      MetadataEntry("comment", "Take 3"), MetadataEntry("encoded_by", "Recorder"),
      MetadataEntry("date", "2024-01-02"), MetadataEntry("origination_time", "10:11:12"),
      MetadataEntry("originator_reference", "REF1"), MetadataEntry("time_reference", "441000"),
      MetadataEntry("coding_history", "A=PCM,F=48000"),
    ]
    let (media, file) = try copy(metadata)
    #expect(Set(media.metadata) == Set(metadata))
    #expect(file.bytes.firstRange(of: Array("bext".utf8)) != nil)
  }

  @Test func `chapters are cue points with labels`() throws {
    let chapters = [
      MediaDescription.Chapter(id: 1, start: 0, end: 500_000_000, title: "One"),
      MediaDescription.Chapter(id: 2, start: 500_000_000, end: 1_000_000_000, title: ""),
    ]
    #expect(try copy([], chapters: chapters).media.chapters == chapters)
  }

  @Test func `damaged cue points give the intact ones`() throws {
    let chapters = [MediaDescription.Chapter(id: 1, start: 0, end: 1_000_000_000, title: "One")]
    let (_, file) = try copy([], chapters: chapters)
    let place = try #require(file.bytes.firstRange(of: Array("cue ".utf8))).upperBound
    // The chunk declares four billion points and contains one.
    file.bytes.replaceSubrange(place + 4..<place + 8, with: [255, 255, 255, 255])
    #expect(try read(file).media.chapters == [])
  }
}
