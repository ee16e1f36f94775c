import RespoolHost
import RespoolMedia

/// Hash of all bytes of a track's packets, without the limits between the packets.
///
/// Muxers that change the framing of H.264 and HEVC, or move parameter sets, leave the other NAL units as they are: the
/// hash is then that of these.
struct TrackContent {
  /// Bytes of a range that are read at a time, whatever length a file states for it.
  private static let partSize: Int64 = 1 << 20
  /// Size of a packet from which it is not divided into NAL units.
  private static let mostUnitBytes: Int64 = 64 << 20

  private var hash = XXH64()
  /// `true` for text, of which containers leave out or add what shows nothing.
  private let skipsEmptyText: Bool
  /// `true` for text whose packets begin with their number, which readers of some containers give them.
  private let skipsNumbers: Bool
  /// The form of NAL units in the packets; `nil` if all bytes are hashed.
  private let units: CodedUnits?
  /// `false` if a packet was too large.
  private(set) var isWhole = true

  var byteCount: UInt64 { hash.byteCount }
  var value: UInt64 { hash.value }

  /// `true` if the hash is that of NAL units.
  var isOfUnits: Bool { units != nil }

  /// Begins the hash of a track.
  ///
  /// With `keepsFraming`, a container stores NAL units after their lengths as they are.
  init(of track: TrackDescription, keepsFraming: Bool) {
    skipsEmptyText = track.codec == "mov_text"
    skipsNumbers = ["ass", "ssa"].contains(track.codec)
    let form = CodedUnits(of: track)
    units = keepsFraming && form?.lengthSize != nil ? nil : form
  }

  /// Begins the hash of a track of a file, which is to be compared with another one.
  init(of track: TrackDescription, like other: TrackContent) {
    (skipsEmptyText, skipsNumbers) = (other.skipsEmptyText, other.skipsNumbers)
    units = other.isOfUnits ? CodedUnits(of: track) : nil
  }

  /// Adds the bytes of a packet after its first `header` bytes; they may be a range of `source`.
  mutating func add(_ packet: Packet, of source: FileSource?, after header: Int = 0)
    throws(MediaError)
  {
    // The place of nothing in text of MP4 has a length of 0 (3GPP TS 26.245 5.17.1.1).
    if skipsEmptyText, packet.size <= 2 { return }
    switch packet.payload {
    case .bytes(let buffer):
      buffer.withBytes { add(UnsafeRawBufferPointer(rebasing: $0.dropFirst(header))) }
    case .range(let offset, let length):
      guard let source else { return }
      guard units == nil || length <= Self.mostUnitBytes else {
        isWhole = false
        return
      }
      let partSize = units == nil ? Self.partSize : Self.mostUnitBytes
      var (place, rest) = (offset + Int64(header), length - Int64(header))
      while rest > 0 {
        let part = try source.bytes(at: place, count: min(rest, partSize))
        part.withUnsafeBytes { add($0) }
        (place, rest) = (place + Int64(part.count), rest - Int64(part.count))
      }
    }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    if skipsNumbers, let comma = bytes.firstIndex(of: UInt8(ascii: ",")) {
      return hash.update(UnsafeRawBufferPointer(rebasing: bytes[comma...]))
    }
    guard let units else { return hash.update(bytes) }
    for unit in units.kept(in: bytes) { hash.update(UnsafeRawBufferPointer(rebasing: unit)) }
  }
}
