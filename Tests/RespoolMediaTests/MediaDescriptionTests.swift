import RespoolMedia
import Testing

@Suite struct MediaDescriptions {
  private var media: MediaDescription {
    var media = MediaDescription(format: "mp4")
    media.tracks = [TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 90000))]
    media.nativeTags = [NativeTag(keySpace: "itsk", key: "\u{A9}nam", value: "A name")]
    media.references = [
      TrackReference(track: 0, type: "chap", trackID: 3),
      TrackReference(track: 0, type: "cdsc", trackID: 1 << 40),
    ]
    return media
  }

  @Test(
    arguments: [MediaDescription.Fragments.none, .possible, .present], [nil, 0, 1.5] as [Double?])
  func `a plugin's description of a file arrives`(
    fragments: MediaDescription.Fragments, rate: Double?
  ) {
    var media = media
    (media.fragments, media.preferredRate, media.preferredVolume) = (fragments, rate, rate)
    let arena = CArena()
    defer { withExtendedLifetime(arena) {} }
    #expect(MediaDescription(arena.box(media.cValue(in: arena))) == media)
  }

  @Test func `structs of older plugins are read as far as their size`() {
    var media = media
    (media.fragments, media.preferredRate) = (.present, 2)
    let arena = CArena()
    defer { withExtendedLifetime(arena) {} }
    let value = arena.box(media.cValue(in: arena))
    value.pointee.struct_size = 88
    var expected = media
    (expected.references, expected.fragments, expected.preferredRate) = ([], .none, nil)
    #expect(MediaDescription(value) == expected)
    value.pointee.struct_size = 72
    expected.nativeTags = []
    #expect(MediaDescription(value) == expected)
  }
}
