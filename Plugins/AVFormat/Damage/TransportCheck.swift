import CAVFormat
import RespoolPlugin

/// A damage check for MPEG transport streams.
///
/// Packets begin with a sync byte, and each stream has a continuity counter (ISO/IEC 13818-1 2.4.3.2).
struct TransportCheck: OffsetDamageCheck {
  private let source: ByteSource
  private let packetLength: Int
  /// Offset of the sync byte in a packet: 4 in M2TS, where a time stamp precedes it, else 0.
  private let syncOffset: Int
  /// The packet identifiers (PID) of the media streams.
  private let streams: Set<UInt16>
  private var position: Int64 = 0
  /// The last continuity counter of each stream.
  private var counters: [UInt16: UInt8] = [:]
  private static let sync: UInt8 = 0x47

  /// Returns `nil` if the file does not begin with packets.
  init?(_ source: ByteSource, _ context: FormatContext) throws(MediaError) {
    guard let form = TransportStreamExtent.form(try TransportStreamExtent.start(of: source)) else {
      return nil
    }
    self.source = source
    (packetLength, syncOffset) = (form.length, form.offset)
    streams = Set(
      (0..<context.streamCount).compactMap { context.stream($0) }.map {
        UInt16(truncatingIfNeeded: $0.pointee.id)
      })
  }

  mutating func reset() {
    position = .max
    counters = [:]
  }

  /// Checks the packets up to an offset.
  mutating func problem(before end: Int64) throws(MediaError) -> String? {
    guard end >= 0 else { return nil }
    // After a seek, the first packet determines where the check continues.
    if position == .max, end < .max { position = end / Int64(packetLength) * Int64(packetLength) }
    var problem: String?
    while position < end {
      let count = min(Int64(packetLength * 512), end - position)
      let bytes = try source.read(at: position, count: Int(count))
      guard bytes.count >= packetLength else { break }
      var index = 0
      while index + packetLength <= bytes.count {
        guard bytes[index + syncOffset] == Self.sync else {
          let skipped =
            Self.next(in: bytes, from: index + 1, packetLength, syncOffset) ?? bytes.count
          let offset = position + Int64(index)
          let count = (skipped - index).counting(
            "byte", "at offset \(offset) belongs", "at offset \(offset) belong")
          problem = problem ?? "\(count) to no transport packet"
          index = skipped
          continue
        }
        let packetProblem = check(bytes[(index + syncOffset)...])
        problem = problem ?? packetProblem
        index += packetLength
      }
      position += Int64(index)
    }
    return problem
  }

  /// Returns the position of the next packet that is followed by another one.
  private static func next(in bytes: [UInt8], from start: Int, _ length: Int, _ syncOffset: Int)
    -> Int?
  {
    var index = start
    while index + syncOffset + length < bytes.count {
      if bytes[index + syncOffset] == sync, bytes[index + syncOffset + length] == sync {
        return index
      }
      index += 1
    }
    return nil
  }

  /// Compares the continuity counter of a packet with that of the packet before it.
  private mutating func check(_ packet: ArraySlice<UInt8>) -> String? {
    let start = packet.startIndex
    let identifier = UInt16(packet[start + 1] & 0x1F) << 8 | UInt16(packet[start + 2])
    guard streams.contains(identifier) else { return nil }
    if packet[start + 1] & 0x80 != 0 {
      return "a transport packet of the stream \(identifier) is marked as damaged"
    }
    let control = packet[start + 3] >> 4 & 3
    // Packets without a payload do not increment the counter.
    guard control & 1 != 0 else { return nil }
    let counter = packet[start + 3] & 15
    let last = counters.updateValue(counter, forKey: identifier)
    // A packet may be sent twice.
    guard let last, counter != last, counter != (last + 1) & 15 else { return nil }
    let isDiscontinuity = control & 2 != 0 && packet[start + 4] > 0 && packet[start + 5] & 0x80 != 0
    // In concatenated files the counter restarts at 0 with the start of a payload unit.
    let isConcatenated = counter == 0 && packet[start + 1] & 0x40 != 0
    guard !isDiscontinuity, !isConcatenated else { return nil }
    return
      "transport packets of the stream \(identifier) are missing: their counter goes from \(last) to \(counter)"
  }
}
