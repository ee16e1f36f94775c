import RespoolMedia

extension ReadFile {
  /// Returns the file with a configuration record instead of ADTS headers for AAC that was written in that form.
  ///
  /// A muxer of ADTS puts a header with the configuration in front of each packet (ISO/IEC 14496-3 1.A.3.2).
  func withoutHeaders(like written: WrittenFile) -> ReadFile {
    var file = self
    for (index, track) in written.tracks.enumerated()
    where track.codec == "aac" && !track.extradata.isEmpty
      && media.tracks.indices.contains(index) && media.tracks[index].extradata.isEmpty
    {
      for place in packets.indices where packets[place].track == index {
        guard let bytes = packets[place].buffer.map({ Array($0.readOnly) }),
          let header = try? ADTSHeader(bytes.prefix(9)), header.byteCount <= bytes.count
        else { return self }
        file.media.tracks[index].extradata = header.configuration.bytes
        file.packets[place].payload = .bytes(MediaBuffer(bytes.dropFirst(header.byteCount)))
      }
    }
    return file
  }
}
