import RespoolPlugin

/// MP3, ADTS, AC-3, E-AC-3 and DTS: checks that the last frame is complete, and the bytes that an MP3 file declares.
enum FrameStreamExtent {
  /// Bytes at the end of a file that are searched for frames; the longest frame has 8,191 bytes (ADTS).
  private static let searchedSize: Int64 = 1 << 16

  static func missing(in source: ByteSource, _ size: Int64, format: String) throws(MediaError)
    -> String?
  {
    guard let header = AudioFrameHeader.reader(format: format) else { return nil }
    let start = try ID3Prefix.end(in: source)
    let end = try TrailingTags.start(in: source, size: size)
    guard end > start else { return nil }
    if format == "mp3",
      let stated = LengthHeader(try source.read(at: start, count: LengthHeader.size)),
      let missing = try missing(of: stated, in: source, from: start, to: end, header)
    {
      return missing
    }
    let first = max(start, end - searchedSize)
    let bytes = try source.readExactly(at: first, count: Int(end - first))
    if let missing = cutFrame(of: bytes, header) { return missing }
    return try TrailingTags.cutTag(in: source, size)
  }

  /// Compares the number of bytes that the header of an MP3 file declares.
  private static func missing(
    of stated: LengthHeader, in source: ByteSource, from start: Int64, to end: Int64,
    _ header: AudioFrameHeader.Reader
  ) throws(MediaError) -> String? {
    let there = end - start
    guard let declared = stated.bytes, declared > there else { return nil }
    // Some writers count tags or the header's frame twice: then the frames are counted.
    if let frames = stated.frames, declared - there < 4096 || declared <= source.size ?? 0 {
      guard try frameCount(in: source, from: start, to: end, header) <= frames else { return nil }
    }
    return DeclaredExtent.sentence("the Xing or VBRI header", declares: declared, there: there)
  }

  /// Returns the number of complete frames from `start` on.
  private static func frameCount(
    in source: ByteSource, from start: Int64, to end: Int64, _ header: AudioFrameHeader.Reader
  ) throws(MediaError) -> Int64 {
    var window = SourceWindow(source)
    var (position, count) = (start, Int64(0))
    while let frame = header(try window.bytes(at: position, count: AudioFrameHeader.size)),
      position + Int64(frame.length) <= end
    {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      position += Int64(frame.length)
      count += 1
    }
    return count
  }

  /// Returns a sentence if the bytes end with a sequence of frames, the last of which is incomplete; `nil` otherwise.
  private static func cutFrame(of bytes: [UInt8], _ header: AudioFrameHeader.Reader) -> String? {
    var start = 0
    while start < bytes.count {
      var position = start
      var previous: AudioFrameHeader?
      while let frame = header(bytes[position...].prefix(AudioFrameHeader.size)),
        previous == nil || previous?.kind == frame.kind
      {
        let present = bytes.count - position
        if frame.length < present {
          position += frame.length
          previous = frame
          continue
        }
        // A single header may be found in any bytes.
        guard previous != nil, frame.length > present else { return nil }
        return DeclaredExtent.sentence(
          "the last frame", declares: Int64(frame.length), there: Int64(present))
      }
      let rest = bytes.count - position
      if previous != nil, rest < AudioFrameHeader.size, bytes[position] == bytes[start] {
        return "the file ends within the header of a frame"
      }
      start = max(position, start + 1)
    }
    return nil
  }
}
