import RespoolMedia

/// The form in which packets of H.264 and HEVC are compared if a container has them as a stream.
///
/// Transport streams add delimiters, and parameter sets in front of frames at which decoding can start, so only the
/// other units are compared.
struct NALUnitForm {
  private let afterLengths: CodedUnits
  private let afterStartCodes: CodedUnits

  /// Creates the form for a track with a configuration record; `nil` for other codecs and for byte streams.
  private init?(_ track: TrackDescription) {
    var stream = track
    stream.extradata = []
    guard let afterLengths = CodedUnits(of: track), afterLengths.lengthSize != nil,
      let afterStartCodes = CodedUnits(of: stream)
    else { return nil }
    (self.afterLengths, self.afterStartCodes) = (afterLengths, afterStartCodes)
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

  /// Returns a packet whose units have start codes, without those that containers add.
  private func reduced(_ packet: Packet) -> Packet {
    guard let buffer = packet.buffer else { return packet }
    var result = packet
    result.payload = .bytes(
      buffer.withBytes { bytes in
        let units = AnnexB.isByteStream(bytes) ? afterStartCodes : afterLengths
        return MediaBuffer(units.kept(in: bytes).flatMap { [0, 0, 0, 1] + $0 })
      })
    return result
  }
}
