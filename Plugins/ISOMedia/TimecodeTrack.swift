import RespoolPlugin

/// A timecode track (QuickTime File Format, "Timecode media"): its first timecode and the name of its reel.
struct TimecodeTrack {
  var entry: SampleDescriptionBox.Entry
  /// Position of the first sample in the file.
  var offset: Int64
  var source: ByteSource

  private static let (dropFrame, counter): (UInt32, UInt32) = (1, 8)

  /// Both as FFmpeg's tags; empty if the track is damaged.
  var metadata: [MetadataEntry] {
    var reader = ByteReader(entry.payload)
    guard (try? reader.skip(12)) != nil, let flags = try? reader.big(UInt32.self),
      (try? reader.skip(8)) != nil, let rate = try? reader.u8(), (try? reader.skip(1)) != nil
    else { return [] }
    var entries: [MetadataEntry] = []
    // A counter is not a time.
    if flags & Self.counter == 0, let bytes = try? source.read(at: offset, count: 4),
      let code = Timecode(
        frame: bytes.reduce(0) { $0 << 8 | Int64($1) }, framesPerSecond: Int64(rate),
        isDropFrame: flags & Self.dropFrame != 0)
    {
      entries.append(MetadataEntry("timecode", "\(code)"))
    }
    if var name = try? reader.firstBox("name"), let length = try? name.big(UInt16.self),
      (try? name.skip(2)) != nil, let text = try? name.take(min(Int(length), name.remaining)),
      !text.isEmpty
    {
      entries.append(MetadataEntry("reel_name", MetadataReader.text(text)))
    }
    return entries
  }
}
