import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Header fields that a movie's writer derives from the media and the settings.
@Suite struct MovieHeaderTests {
  private func writer(_ tracks: [TrackDescription]) -> MovieBoxWriter {
    var media = MediaDescription(format: "mp4")
    media.tracks = tracks
    let inMovie = tracks.filter { !$0.disposition.contains(.attachedPicture) }
    return MovieBoxWriter(
      media: media, flavor: .mp4,
      tracks: inMovie.enumerated().map {
        TrackWriter($1, flavor: .mp4, trackID: UInt32($0 + 1))
      }, chapters: nil)
  }

  private func audio(_ disposition: TrackDescription.Disposition = []) -> TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48000))
    track.sampleRate = 48000
    track.channelLayout = .stereo
    track.disposition = disposition
    return track
  }

  @Test(
    arguments: [
      (1.0, 0x100), (-0.5, -0x80), (127.5, 0x7F80), (128, 0x7FFF), (-1000, -0x8000),
      (.infinity, 0x7FFF), (.nan, 0),
    ] as [(Double, Int16)])
  func `volumes are clamped`(value: Double, field: Int16) {
    #expect(Int16(fixedPoint: value) == field)
  }

  @Test(
    arguments: [
      (60.5, 0x3C_8000), (-1, 0), (65536, .max), (1e300, .max), (.nan, 0),
    ] as [(Double, UInt32)])
  func `sizes are clamped`(value: Double, field: UInt32) {
    #expect(UInt32(fixedPoint: value) == field)
  }

  @Test func `the first track that is not disabled is enabled if none is the default`() {
    let movie = writer([audio(.disabled), audio(), audio()])
    let flags = movie.tracks.map { movie.header(of: $0, isChapters: false).flags }
    #expect(flags.map { $0 & TrackHeaderBox.enabled } == [0, 1, 0])
  }

  @Test func `tracks of errors are counted with covers`() {
    var cover = TrackDescription(kind: .video, codec: "png", timeBase: Rational(1, 1000))
    cover.disposition = .attachedPicture
    let movie = writer([audio(), cover, audio()])
    #expect((0..<3).map { movie.mediaTrack(ofNumber: $0) } == [0, 2, nil])
  }
}
