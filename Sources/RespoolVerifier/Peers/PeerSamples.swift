import RespoolMedia

/// Comparison of PCM by its audio samples.
struct PeerSamples {
  let own: PeerTrack
  let other: PeerTrack

  func check() throws(Finding) -> String {
    let width = [own.track.blockAlign, other.track.blockAlign].max() ?? 0
    let rate = own.track.sampleRate
    guard width > 0, rate > 0 else {
      throw .skipped("neither \(own.name) nor \(other.name) states block_align")
    }
    let mine = Samples(own, width: width)
    let theirs = Samples(other, width: width)
    let unit = own.tolerance(to: other)
    if let one = mine.start, let another = theirs.start, abs(one - another) > unit {
      throw Finding(
        "\(own.name) reads the first audio sample at \(PeerComparison.text(one)) s, "
          + "\(other.name) at \(PeerComparison.text(another)) s")
    }
    let count = min(mine.bytes.count, theirs.bytes.count)
    if let place = (0..<count).first(where: { mine.bytes[$0] != theirs.bytes[$0] }) {
      throw Finding(
        difference(mine, theirs, place, width: width, rate: rate))
    }
    guard mine.bytes.count == theirs.bytes.count else {
      throw Finding(
        "\(own.name) reads \(mine.bytes.count.counting("byte")) of audio samples, \(other.name) "
          + "reads \(theirs.bytes.count)")
    }
    return (count / width).counting("audio sample")
  }

  /// Returns the difference that begins at a byte.
  private func difference(
    _ mine: Samples, _ theirs: Samples, _ place: Int, width: Int, rate: Int
  ) -> String {
    let sample = place / width
    let time = (mine.start ?? 0) + Double(sample) / Double(rate)
    let packet = mine.ends.firstIndex { $0 > place } ?? 0
    var words =
      "\(own.name) reads another audio sample \(sample) (packet \(packet), "
      + "\(PeerComparison.text(time)) s) than \(other.name): "
      + "\(mine.text(place, width)), not \(theirs.text(place, width))"
    if let shift = shift(mine.bytes, theirs.bytes, from: place) {
      words +=
        "; from there on, \(own.name) is \(abs(shift).counting("byte")) "
        + (shift > 0 ? "ahead" : "behind")
    } else if isSwapped(mine.bytes, theirs.bytes, from: place) {
      words += "; the order of the bytes is reversed"
    }
    return words
  }

  /// Number of bytes that are compared to recognize a shift.
  private static let window = 256

  private func shift(_ mine: [UInt8], _ theirs: [UInt8], from place: Int) -> Int? {
    let window = Self.window
    for shift in 1...64 where place + window + shift <= min(mine.count, theirs.count) {
      if mine[place..<place + window].elementsEqual(theirs[place + shift..<place + shift + window])
      {
        return shift
      }
      if mine[place + shift..<place + shift + window].elementsEqual(theirs[place..<place + window])
      {
        return -shift
      }
    }
    return nil
  }

  private func isSwapped(_ mine: [UInt8], _ theirs: [UInt8], from place: Int) -> Bool {
    let size = max(1, (own.track.bitsPerSample + 7) / 8)
    let start = place / size * size
    guard size > 1, start + Self.window <= min(mine.count, theirs.count) else { return false }
    return stride(from: start, to: start + Self.window / size * size, by: size).allSatisfy {
      mine[$0..<$0 + size].reversed().elementsEqual(theirs[$0..<$0 + size])
    }
  }
}

/// The bytes of PCM that are heard.
private struct Samples {
  /// Time of the first audio sample in seconds; `nil` if it has none.
  var start: Double?
  var bytes: [UInt8] = []
  /// Number of bytes up to the end of each packet.
  var ends: [Int] = []

  init(_ track: PeerTrack, width: Int) {
    let rate = Rational(1, Int32(clamping: max(1, track.track.sampleRate)))
    for packet in track.packets {
      let whole = packet.bytes
      // Media before 0 is not heard.
      let early = max(0, -(packet.pts ?? 0))
      let first = track.track.timeBase.convert(max(packet.trimStart, early), to: rate)
      let last = track.track.timeBase.convert(packet.trimEnd, to: rate)
      let head = Int(clamping: min(Int64(whole.count), first * Int64(width)))
      let tail = Int(clamping: min(Int64(whole.count - head), last * Int64(width)))
      if start == nil, head < whole.count, let pts = packet.pts {
        start =
          Double(pts + max(packet.trimStart, early)) * track.track.timeBase.doubleValue
          - track.shift
      }
      bytes += whole[head..<whole.count - tail]
      ends.append(bytes.count)
    }
  }

  /// Bytes of the audio sample with a byte.
  func text(_ place: Int, _ width: Int) -> String {
    let start = place / width * width
    return bytes[start..<min(start + width, bytes.count)].prefix(8).map(\.hexText).joined()
  }
}
