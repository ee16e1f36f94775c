import RespoolHost
import RespoolMedia

/// Encoded tracks for the checks of containers, each made once.
final class MadeMedia {
  private let finder: CodecFinder
  private var made: [String: Encoding?] = [:]

  init(finder: CodecFinder) { self.finder = finder }

  /// Codecs that containers carry most often, video first.
  private static let usual = [
    "h264", "vp9", "prores", "mjpeg", "aac", "opus", "flac", "pcm_s16le",
  ]

  /// Returns media of a codec; `nil` if no encoder makes it.
  func encoding(_ codec: String) -> Encoding? {
    if let known = made[codec] { return known }
    let result = make(codec)
    made[codec] = .some(result)
    return result
  }

  private func make(_ codec: String) -> Encoding? {
    guard let encoder = finder.encoder(codec) else { return nil }
    for usual in EncoderInput.all(of: encoder.description, codec) {
      var input = usual.accepted(by: encoder)
      input.count = 40
      input.start = 0
      input.forcedKeys = [13, 26]
      if let encoding = try? Encoding(encoder, input), !encoding.packets.isEmpty,
        (try? encoding.checkUnchanged()) != nil, (try? encoding.packets.checkTrims()) != nil
      {
        return encoding
      }
    }
    return nil
  }

  /// Returns a file of a muxer with as many tracks as it takes; `nil` if it writes none.
  func file(of muxer: PluginFactory) -> WrittenFile? {
    let media = encodings(for: muxer)
    for count in stride(from: media.count, to: 0, by: -1) {
      if let written = try? WrittenFile(muxer, Array(media.prefix(count))) { return written }
    }
    return nil
  }

  /// Returns media that a muxer accepts: video and audio if it takes both.
  func encodings(for muxer: PluginFactory) -> [Encoding] {
    let listed = muxer.description.codecs
    let own = listed.filter { codec in
      finder.own(.encoder).contains { $0.description.codecs.contains(codec) }
    }
    var chosen: [Encoding] = []
    for codec in own + Self.usual where listed.isEmpty || listed.contains(codec) {
      guard let encoding = encoding(codec), finder.accepts(muxer, encoding.track),
        !chosen.contains(where: { $0.track.kind == encoding.track.kind })
      else { continue }
      chosen.append(encoding)
    }
    return chosen.sorted { $0.track.kind.rawValue < $1.track.kind.rawValue }
  }
}
