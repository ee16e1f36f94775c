import RespoolHost
import RespoolMedia

/// Comparison of the packets of a track as two demuxers read them.
///
/// PCM is compared by audio samples, because containers divide it in different ways. Packets of other codecs are
/// compared one by one. If they differ, their frames are compared, because the framing may differ.
struct PeerContent {
  let own: PeerTrack
  let other: PeerTrack
  let finder: CodecFinder

  /// Throws if the two disagree; returns what was compared.
  func check() throws(Finding) -> String {
    if own.track.codec.hasPrefix("pcm_") { return try PeerSamples(own: own, other: other).check() }
    guard let difference else {
      try PeerTimes(own: own, other: other).check()
      return own.packets.count.counting("packet")
    }
    return try compareFrames(after: difference)
  }

  /// The first difference of the packets; `nil` if they have the same bytes.
  private var difference: String? {
    for (index, pair) in zip(own.packets, other.packets).enumerated() {
      let (mine, theirs) = (pair.0.bytes, pair.1.bytes)
      guard mine != theirs else { continue }
      let place = "\(own.place(index)): "
      guard mine.count == theirs.count else {
        return place + "\(own.name) reads \(mine.count.counting("byte")), \(other.name) reads "
          + "\(theirs.count)"
      }
      let byte = mine.indices.first { mine[$0] != theirs[$0] } ?? 0
      return place + "byte \(byte) is \(mine[byte].hexText) by \(own.name), "
        + "\(theirs[byte].hexText) by \(other.name)"
    }
    guard own.packets.count != other.packets.count else { return nil }
    return "\(own.name) reads \(own.packets.count.counting("packet")), \(other.name) reads "
      + "\(other.packets.count)"
  }

  /// Maximum number of packets that are decoded.
  private static let decodedPackets = 400

  /// Decodes both with the same decoder, and compares the frames.
  private func compareFrames(after difference: String) throws(Finding) -> String {
    for decoder in finder.decoders(other.track)
    where (try? DecoderInstance.supports(decoder, own.track)) == true {
      let name = decoder.plugin.name
      let theirs = Array(other.packets.prefix(Self.decodedPackets))
      guard let expected = try? Decoding(decoder, other.track, theirs), !expected.frames.isEmpty
      else { continue }
      let mine = Array(own.packets.prefix(Self.decodedPackets))
      let found: Decoding
      do throws(Finding) { found = try Decoding(decoder, own.track, mine) } catch {
        throw Finding("\(difference); \(name) decodes only those of \(other.name): \(error.words)")
      }
      let isWhole = mine.count == own.packets.count && theirs.count == other.packets.count
      let frames = PeerFrames(own: found, other: expected, isWhole: isWhole)
      if let problem = frames.problem(own, other) {
        throw Finding("\(difference); decoded by \(name), \(problem)")
      }
      return "\(difference), but \(name) decodes the same"
    }
    throw Finding(difference)
  }
}

/// Comparison of frames that a decoder made of the packets of two demuxers.
private struct PeerFrames {
  let own: Decoding
  let other: Decoding
  /// `true` if both are complete.
  let isWhole: Bool

  /// Returns the first difference; `nil` if there is none.
  func problem(_ mine: PeerTrack, _ theirs: PeerTrack) -> String? {
    mine.track.kind == .video ? videoProblem(mine) : audioProblem(mine)
  }

  private func videoProblem(_ mine: PeerTrack) -> String? {
    let count = min(own.hashes.count, other.hashes.count)
    if let index = (0..<count).first(where: { own.hashes[$0] != other.hashes[$0] }) {
      let time = own.frames[index].pts.map {
        " (\(PeerComparison.text(Double($0) * mine.track.timeBase.doubleValue)) s)"
      }
      return "frame \(index)\(time ?? "") differs"
    }
    guard isWhole, own.hashes.count != other.hashes.count else { return nil }
    return "there are \(own.hashes.count.counting("frame")), not \(other.hashes.count)"
  }

  /// Compares audio samples of the first channel or of all, because blocks may have other lengths.
  private func audioProblem(_ mine: PeerTrack) -> String? {
    let (found, expected) = (samples(own), samples(other))
    guard let frame = own.frames.first, let another = other.frames.first,
      frame.sampleFormat == another.sampleFormat, frame.sampleRate == another.sampleRate,
      frame.channelLayout.channelCount == another.channelLayout.channelCount
    else { return "the audio has another format" }
    let channels = frame.sampleFormat.isPlanar ? 1 : frame.channelLayout.channelCount
    let width = max(1, frame.sampleFormat.bytesPerSample * channels)
    let count = min(found.count, expected.count)
    if let place = (0..<count).first(where: { found[$0] != expected[$0] }) {
      let time = Double(place / width) / Double(max(1, frame.sampleRate))
      return "audio sample \(place / width) (\(PeerComparison.text(time)) s) differs"
    }
    guard isWhole, found.count != expected.count else { return nil }
    return "there are \((found.count / width).counting("audio sample")), not "
      + "\(expected.count / width)"
  }

  /// Bytes of the first plane of all frames.
  private func samples(_ decoding: Decoding) -> [UInt8] {
    decoding.frames.flatMap { frame in
      let channels = frame.sampleFormat.isPlanar ? 1 : frame.channelLayout.channelCount
      let size = frame.sampleCount * frame.sampleFormat.bytesPerSample * channels
      return withExtendedLifetime(frame.buffer) {
        Array(UnsafeRawBufferPointer(start: frame.planes[0].base, count: size))
      }
    }
  }
}
