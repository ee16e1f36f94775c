import Respool
import RespoolMedia

/// A comparison of the audio and video tracks of an existing output with those that a preset makes.
///
/// It recognizes outputs of other presets and files of other programs, which a batch without a record finds.
struct TrackComparison {
  /// An audio or video track, as far as an output shows it.
  private struct Track {
    var kind: TrackDescription.Kind
    var codec: String
    /// Frame size; `nil` in audio.
    var size: (width: Int, height: Int)?
    /// Largest difference of width and height; containers of copied video may round them to macroblocks.
    var tolerance = 0
    /// Number of channels; `nil` in video and for copied audio.
    ///
    /// Sample rates are not compared: Opus is always read at 48 kHz.
    var channels: Int?

    var description: String {
      if let size { return "\(codec) \(size.width)x\(size.height)" }
      if let channels {
        return "\(codec) with \(channels == 1 ? "1 channel" : "\(channels) channels")"
      }
      return codec
    }

    func matches(_ made: Track) -> Bool {
      guard kind == made.kind, codec == made.codec else { return false }
      if let size, let other = made.size {
        return abs(size.width - other.width) <= tolerance
          && abs(size.height - other.height) <= tolerance
      }
      return channels == nil || channels == made.channels
    }
  }

  private let expected: [Track]

  /// Creates a comparison with the tracks that `settings` make of `source`.
  init(_ settings: ResolvedSettings, of source: MediaDescription) {
    expected = settings.outputTracks.compactMap { track in
      let given = source.tracks[track.source]
      // A track without packets is left out of the file.
      guard given.packetCount != 0, given.kind == .audio || given.isMovingPicture else {
        return nil
      }
      switch track.action {
      case .convertVideo(let video):
        return Track(kind: .video, codec: video.codec, size: (video.width, video.height))
      case .convertAudio(let audio):
        return Track(
          kind: .audio, codec: audio.codec, channels: audio.channelLayout.channelCount)
      case .passThrough:
        return Track(
          kind: given.kind, codec: given.codec,
          size: given.kind == .video ? (given.width, given.height) : nil, tolerance: 15)
      case .convertCaptions, .drop: return nil
      }
    }
  }

  /// Returns a part of a sentence with the tracks of both; `nil` if they agree.
  func difference(from output: MediaDescription) -> String? {
    let made = output.tracks.filter { $0.kind == .audio || $0.isMovingPicture }.map {
      Track(
        kind: $0.kind, codec: $0.codec,
        size: $0.kind == .video ? ($0.width, $0.height) : nil,
        channels: $0.kind == .audio ? $0.channelLayout.channelCount : nil)
    }
    var left = made
    for track in expected {
      guard let index = left.firstIndex(where: { track.matches($0) }) else {
        return Self.words(made, expected)
      }
      left.remove(at: index)
    }
    return left.isEmpty ? nil : Self.words(made, expected)
  }

  private static func words(_ made: [Track], _ expected: [Track]) -> String {
    func list(_ tracks: [Track]) -> String {
      tracks.isEmpty ? "no audio or video" : tracks.map(\.description).joined(separator: ", ")
    }
    return "it has \(list(made)), and the preset makes \(list(expected))"
  }
}
