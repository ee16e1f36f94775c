import RespoolMedia

/// The form in which packets of H.264 and HEVC are compared if a container has them as a stream.
///
/// Transport streams add delimiters, and parameter sets in front of frames at which decoding can start, so only the
/// other units are compared.
struct NALUnitForm {
  private let lengthSize: Int
  private let isHEVC: Bool

  /// Creates the form for a track with a configuration record; `nil` for other codecs and for byte streams.
  private init?(_ track: TrackDescription) {
    switch track.codec {
    case "h264" where track.extradata.first == 1:
      guard let record = try? AVCConfiguration(track.extradata) else { return nil }
      (lengthSize, isHEVC) = (record.lengthSize, false)
    case "hevc" where !AnnexB.isByteStream(track.extradata):
      guard let record = try? HEVCConfiguration(track.extradata) else { return nil }
      (lengthSize, isHEVC) = (record.lengthSize, true)
    default: return nil
    }
  }

  /// Returns a file as it was written and as it was read, with packets in the same form where a stream changes it.
  static func common(_ written: WrittenFile, _ read: ReadFile) -> (WrittenFile, ReadFile) {
    var (written, read) = (written, read)
    for (index, track) in written.tracks.enumerated() {
      guard let form = NALUnitForm(track), let first = read.packets(of: index).first?.buffer,
        AnnexB.isByteStream(first.readOnly)
      else { continue }
      for place in written.packets[index].indices {
        written.packets[index][place] = form.reduced(written.packets[index][place])
      }
      for place in read.packets.indices where read.packets[place].track == index {
        read.packets[place] = form.reduced(read.packets[place])
      }
    }
    return (written, read)
  }

  /// Returns a packet whose units have start codes, without delimiters and parameter sets.
  private func reduced(_ packet: Packet) -> Packet {
    guard let buffer = packet.buffer else { return packet }
    var result = packet
    result.payload = .bytes(
      buffer.withBytes { bytes in
        let units =
          AnnexB.isByteStream(bytes) ? AnnexB.units(in: bytes) : unitsAfterLengths(bytes)
        return MediaBuffer(
          units.filter { isKept(bytes[$0.lowerBound]) }.flatMap { [0, 0, 0, 1] + bytes[$0] })
      })
    return result
  }

  private func isKept(_ head: UInt8) -> Bool {
    isHEVC ? !(32...35).contains(head >> 1 & 63) : ![7, 8, 9].contains(head & 31)
  }

  private func unitsAfterLengths(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    var (units, place): ([Range<Int>], Int) = ([], 0)
    while bytes.count - place > lengthSize {
      let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      let start = place + lengthSize
      guard length > 0, length <= bytes.count - start else { break }
      units.append(start..<start + length)
      place = start + length
    }
    return units
  }
}
