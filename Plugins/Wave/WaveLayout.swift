import RespoolPlugin

/// The structure of a wave file, found in a single scan of its chunks.
struct WaveLayout {
  var format: WaveFormat
  var dataStart: Int64
  /// End of the data.
  ///
  /// `nil` if neither the file nor the source defines it.
  var dataEnd: Int64?
  /// Number of samples according to the `fact` chunk or `ds64`.
  var sampleCount: Int64?
  var tags: [NativeTag] = []
  /// Covers of an ID3 tag.
  var pictures: [ID3Tag.Picture] = []
  /// Chapters of an ID3 tag.
  var chapters: [MediaDescription.Chapter] = []
  /// Frames of an ID3 tag that are passed through unchanged.
  var frames: [ID3Frame] = []
  var cuePoints = CuePoints()
  var records = WaveRecords()
  var warning: String?
  /// `true` if the source is shorter than the data chunk declares.
  var endsEarly = false

  /// Maximum number of chunks: a file with more is an attack, not a recording.
  private static let chunkLimit = 65_536
  /// Maximum size of the data in bytes.
  ///
  /// Up to it, counts of samples and bits fit into 64 bits.
  private static let dataLimit: Int64 = 1 << 56
  /// Maximum size of texts that are read, in bytes.
  private static let listLimit = 1 << 20
  /// Maximum size of a tag with covers that is read, in bytes.
  private static let tagLimit = 32 << 20

  init(_ source: ByteSource) throws(MediaError) {
    var header = ByteReader(try source.readExactly(at: 0, count: 12))
    let form = try header.text(4)
    try header.skip(4)
    guard try header.text(4) == "WAVE", ["RIFF", "RF64", "BW64"].contains(form) else {
      throw MediaError(.malformed, "the file has no RIFF, RF64 or BW64 header", offset: 0)
    }
    var format: WaveFormat?
    var data: (start: Int64, end: Int64?)?
    var large: (data: Int64, samples: Int64)?
    var offset: Int64 = 12
    var chunks = 0
    var broadcast: BroadcastExtension?
    var records = WaveRecords()
    while true {
      let head = try source.read(at: offset, count: 8)
      guard head.count == 8 else { break }
      chunks += 1
      guard chunks <= Self.chunkLimit else {
        throw MediaError(
          .limitExceeded, "the file has more than \(Self.chunkLimit) chunks", offset: offset)
      }
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      var reader = ByteReader(head, origin: offset)
      let name = try reader.text(4)
      let size = Int64(try reader.little(UInt32.self))
      let body = offset + 8
      var next = body + size + size % 2
      /// Adds the chunk to the records that are passed through, if it is complete.
      func keep() throws(MediaError) {
        guard records.takes(name, size: size) else { return }
        let bytes = try source.read(at: body, count: Int(size))
        if bytes.count == Int(size) { records.add(Array(head[..<4]), bytes) }
      }
      switch name {
      case "ds64":
        var reader = ByteReader(try source.read(at: body, count: 24), origin: body)
        try reader.skip(8)
        large = (try reader.little(), try reader.little())
      case "fmt " where format == nil:
        let bytes = try source.read(at: body, count: Int(min(size, 1 << 16)))
        do throws(MediaError) { format = try WaveFormat(ByteReader(bytes, origin: body)) } catch {
          var error = error
          error.path = error.path ?? "fmt "
          throw error
        }
      case "fact" where size >= 4:
        var reader = ByteReader(try source.readExactly(at: body, count: 4), origin: body)
        let count: UInt32 = try reader.little()
        sampleCount = count == .max ? large?.samples : Int64(count)
      case "LIST" where size >= 4 && size <= Self.listLimit:
        var reader = ByteReader(try source.read(at: body, count: Int(size)), origin: body)
        guard reader.remaining >= 4 else { break }
        switch try reader.text(4) {
        case "INFO": tags += InfoList.read(reader)
        case "adtl":
          cuePoints.read(labels: reader)
          try keep()
        default: try keep()
        }
      case "cue " where size <= Self.listLimit * 2:
        cuePoints.read(points: try source.read(at: body, count: Int(size)))
        try keep()
      case "bext" where size <= Self.listLimit:
        broadcast = BroadcastExtension(try source.read(at: body, count: Int(size)))
        try keep()
      case "id3 " where size <= Self.tagLimit, "ID3 " where size <= Self.tagLimit:
        let tag = ID3Tag(try source.read(at: body, count: Int(size)))
        tags += tag.texts
        pictures += tag.pictures
        chapters += tag.chapters
        frames += tag.others
      case "data" where data == nil:
        // 0 and the maximum number occur in streams whose length was unknown.
        var length = size == 0xFFFF_FFFF ? large?.data ?? 0 : size
        if !(0..<Self.dataLimit).contains(length) { length = 0 }
        let (stated, overflow) = body.addingReportingOverflow(length)
        if let whole = source.size {
          if length == 0 || overflow || stated > whole {
            if length > 0 {
              warning =
                "the data chunk declares \(length.counting("byte")), but \(whole - body) are "
                + "present"
              endsEarly = true
            }
            data = (body, max(body, whole))
          } else {
            data = (body, stated)
          }
        } else {
          data = (body, length == 0 || overflow ? nil : stated)
        }
        guard let end = data?.end, source.isSeekable, !(overflow || length == 0) else {
          next = .max
          break
        }
        next = end + (end - body) % 2
      default: try keep()
      }
      guard next < source.size ?? .max else { break }
      offset = next
    }
    guard let format else {
      throw MediaError(.malformed, "no fmt chunk before the data or the end", offset: offset)
    }
    guard let data else {
      throw MediaError(.malformed, "there is no data chunk", offset: offset)
    }
    if var broadcast {
      broadcast.separate(
        from: Dictionary(tags.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
      tags += broadcast.tags
    }
    self.format = format
    self.records = records
    dataStart = data.start
    dataEnd = data.end
    if format.codec.name == "pcm_s16le" { try Self.rejectBitstream(source, at: data.start) }
  }

  /// Throws `unsupported` if DTS (ETSI TS 102 114) or IEC 61937 bursts are stored as 16-bit samples.
  private static func rejectBitstream(_ source: ByteSource, at offset: Int64) throws(MediaError) {
    let marks: [[UInt8]] = [
      [0x72, 0xF8, 0x1F, 0x4E], [0xFF, 0x1F, 0x00, 0xE8], [0xFE, 0x7F, 0x01, 0x80],
      [0x7F, 0xFE, 0x80, 0x01], [0x1F, 0xFF, 0xE8, 0x00],
    ]
    guard source.isSeekable else { return }
    let first = try source.read(at: offset, count: 4)
    if marks.contains(first) {
      throw MediaError(.unsupported, "the data is a coded bitstream, not PCM", offset: offset)
    }
  }
}
