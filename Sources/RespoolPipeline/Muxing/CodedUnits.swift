import RespoolMedia

/// The NAL units of a track of H.264 or HEVC, in either form.
struct CodedUnits {
  private let isHEVC: Bool
  /// Bytes of the length in front of each unit (ISO/IEC 14496-15); `nil` for start codes (Annex B).
  let lengthSize: Int?

  /// Returns `nil` for other codecs.
  init?(of track: TrackDescription) {
    let record = track.extradata
    // Both records begin with their version, 1.
    let isRecord = record.first == 1
    switch track.codec {
    case "h264":
      (isHEVC, lengthSize) = (
        false, isRecord ? (try? AVCConfiguration(record).lengthSize) ?? 4 : nil
      )
    case "hevc":
      (isHEVC, lengthSize) = (
        true, isRecord ? (try? HEVCConfiguration(record).lengthSize) ?? 4 : nil
      )
    default: return nil
    }
  }

  /// Calls `body` with the units of a packet, without parameter sets, delimiters, filler and zeros at their ends.
  func forEach(in bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    for range in ranges(in: bytes) {
      var unit = bytes[range]
      while unit.last == 0 { unit.removeLast() }
      guard let first = unit.first, !isMoved(first) else { continue }
      body(UnsafeRawBufferPointer(rebasing: unit))
    }
  }

  private func ranges(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    guard let lengthSize else { return AnnexB.units(in: bytes) }
    var (ranges, place) = ([Range<Int>](), 0)
    while bytes.count - place > lengthSize {
      let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      place += lengthSize
      let end = min(bytes.count, place + length)
      ranges.append(place..<end)
      place = end
    }
    return ranges
  }

  /// Returns `true` for types that muxers and readers add and leave out (ITU-T H.264 table 7-1, H.265 table 7-1), by the
  /// first byte of a unit.
  private func isMoved(_ first: UInt8) -> Bool {
    isHEVC
      ? [32, 33, 34, 35, 38].contains(first >> 1 & 0x3F) : [7, 8, 9, 12, 13].contains(first & 0x1F)
  }
}
