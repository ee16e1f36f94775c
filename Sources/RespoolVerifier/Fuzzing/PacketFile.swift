import RespoolHost
import RespoolMedia

/// A file with a track and its packets, which is kept when a decoder fails and can be used as a sample again.
///
/// All numbers are little-endian: the signature, kind (4), width, height, sample rate, channels (4 each), the length of
/// the codec's name (4) and the name, the length of the configuration record (4) and the record; then for each packet
/// pts (8), flags (4), length (4) and the bytes.
struct PacketFile {
  var track: TrackDescription
  var packets: [Packet]

  static let signature = Array("RSPPKTS1".utf8)

  init(track: TrackDescription, packets: [Packet]) {
    self.track = track
    self.packets = packets
  }

  /// Parses a file; `nil` if the bytes are none.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.signature) else { return nil }
    var position = Self.signature.count
    func number(_ count: Int) -> UInt64? {
      guard position + count <= bytes.count else { return nil }
      defer { position += count }
      return (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[position + $1]) }
    }
    func part(_ count: UInt64?) -> [UInt8]? {
      guard let count, count <= UInt64(bytes.count - position) else { return nil }
      defer { position += Int(count) }
      return Array(bytes[position..<position + Int(count)])
    }
    guard let kind = number(4), let width = number(4), let height = number(4),
      let rate = number(4), let channels = number(4), let name = part(number(4)),
      let record = part(number(4))
    else { return nil }
    track = TrackDescription(
      kind: .init(rawValue: UInt32(kind)) ?? .unknown,
      codec: String(decoding: name, as: UTF8.self), timeBase: Rational(1, 1000))
    (track.width, track.height) = (Int(width), Int(height))
    track.sampleRate = Int(rate)
    track.channelLayout = .standard(Int(min(channels, 64)))
    track.extradata = record
    packets = []
    while let pts = number(8), let flags = number(4), let payload = part(number(4)) {
      packets.append(
        Packet(
          track: 0, pts: Int64(bitPattern: pts), dts: Int64(bitPattern: pts), duration: 1,
          flags: .init(rawValue: UInt32(flags)), payload: .bytes(MediaBuffer(payload))))
    }
  }

  var bytes: [UInt8] {
    var result = Self.signature
    func add(_ value: UInt64, _ count: Int) {
      for place in 0..<count {
        result.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place)))
      }
    }
    add(UInt64(track.kind.rawValue), 4)
    for value in [track.width, track.height, track.sampleRate, track.channelLayout.channelCount] {
      add(UInt64(clamping: value), 4)
    }
    let name = Array(track.codec.utf8)
    add(UInt64(name.count), 4)
    result += name
    add(UInt64(track.extradata.count), 4)
    result += track.extradata
    for packet in packets {
      add(UInt64(bitPattern: packet.pts ?? 0), 8)
      add(UInt64(packet.flags.rawValue), 4)
      add(UInt64(packet.size), 4)
      packet.buffer?.withBytes { result += $0 }
    }
    return result
  }
}
