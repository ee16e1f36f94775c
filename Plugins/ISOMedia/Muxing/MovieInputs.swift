import RespoolPlugin

/// The inputs of a movie: the mapping from the media's tracks to the movie's, and the covers, which are not
/// tracks.
struct MovieInputs {
  /// Units per second of the movie's times.
  ///
  /// 0 selects a scale that suits the tracks.
  let timeScale: Int64
  private let codecs: [String]
  /// Movie track index for each track of the media.
  ///
  /// `nil` for covers.
  let numbers: [Int?]
  private var pictures: [Int: (codec: String, bytes: [UInt8])] = [:]

  /// Checks the tracks and appends a writer for each track that is not a cover.
  ///
  /// Throws `unsupported` if the flavor does not carry a track or the output is not a file. Throws
  /// `invalidArgument` for wrong options, or if there are only covers.
  init(
    _ media: MediaDescription, flavor: Flavor, sink: ByteSink, settings: MuxerSettings,
    writers: inout [TrackWriter]
  ) throws(MediaError) {
    timeScale =
      settings.timeScale.map { Int64($0) }
      ?? settings.value(of: "movie-time-scale").flatMap { Int64($0) } ?? 0
    guard sink.isSeekable else {
      throw MediaError(
        .unsupported, "\(flavor.name) needs a seekable output, such as a regular file")
    }
    codecs = media.tracks.map(\.codec)
    var numbers: [Int?] = []
    for (index, track) in media.tracks.enumerated() {
      do throws(MediaError) {
        try flavor.check(track)
      } catch {
        var error = error
        error.track = index
        throw error
      }
      if track.disposition.contains(.attachedPicture) {
        numbers.append(nil)
      } else {
        numbers.append(writers.count)
        writers.append(
          TrackWriter(
            track, flavor: flavor, trackID: UInt32(writers.count + 1),
            settings: settings.tracks.indices.contains(index) ? settings.tracks[index] : .init(),
            movieDuration: media.duration))
      }
    }
    self.numbers = numbers
    guard !writers.isEmpty else {
      throw MediaError(.invalidArgument, "a movie needs a track besides its cover")
    }
  }

  /// Returns the movie's track for a track of the media.
  ///
  /// `nil` for a cover or an unknown track.
  func number(ofTrack track: Int) -> Int? {
    numbers.indices.contains(track) ? numbers[track] : nil
  }

  /// Returns the movie's track for a packet.
  ///
  /// Stores a cover and returns `nil` for it.
  mutating func take(_ packet: Packet) throws(MediaError) -> Int? {
    guard numbers.indices.contains(packet.track) else {
      throw MediaError(.invalidArgument, "there is no track \(packet.track)")
    }
    if let number = numbers[packet.track] { return number }
    guard let buffer = packet.buffer, !packet.flags.contains(.isReference) else {
      throw MediaError(
        .unsupported, "a cover must be passed as bytes, not as a range", track: packet.track)
    }
    pictures[packet.track] = (codecs[packet.track], Array(buffer.readOnly))
    return nil
  }

  /// The covers, in the order of the media.
  var covers: [(codec: String, bytes: [UInt8])] {
    pictures.sorted { $0.key < $1.key }.map(\.value)
  }
}
