/// The NAL units in the packets of a track of H.264 or HEVC, after their lengths or after start codes.
package struct CodedUnits {
  private let isHEVC: Bool
  /// Bytes of the length in front of each unit (ISO/IEC 14496-15); `nil` for start codes (Annex B).
  package let lengthSize: Int?

  /// Returns `nil` for other codecs, and for configuration records that cannot be read.
  package init?(of track: TrackDescription) {
    let record = track.extradata
    let hasRecord = !record.isEmpty && !AnnexB.isByteStream(record)
    switch track.codec {
    case "h264": isHEVC = false
    case "hevc": isHEVC = true
    default: return nil
    }
    guard hasRecord else {
      lengthSize = nil
      return
    }
    let size =
      isHEVC
      ? (try? HEVCConfiguration(record))?.lengthSize : (try? AVCConfiguration(record))?.lengthSize
    guard let size else { return nil }
    lengthSize = size
  }

  /// Returns the units of a packet that muxers and readers leave as they are, without zeros at their ends.
  ///
  /// They add, move and leave out parameter sets, delimiters and filler. Lengths that reach beyond the packet end with it.
  package func kept(in bytes: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
    ranges(in: bytes).compactMap { range in
      var unit = bytes[range]
      while unit.last == 0 { unit.removeLast() }
      guard let first = unit.first, !isMoved(first) else { return nil }
      return unit
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

  /// Returns `true` for the types of parameter sets, delimiters and filler (ITU-T H.264 table 7-1, H.265 table 7-1), by the
  /// first byte of a unit.
  private func isMoved(_ first: UInt8) -> Bool {
    isHEVC
      ? [32, 33, 34, 35, 38].contains(first >> 1 & 0x3F) : [7, 8, 9, 12, 13].contains(first & 0x1F)
  }
}
