import RespoolPlugin

/// Fields of the header of ASF that FFmpeg ignores or shortens (Advanced Systems Format Specification 01.20.03).
struct ASFHeader {
  /// Date of creation, as text.
  ///
  /// `nil` if the file does not state one.
  private(set) var creationTime: String?
  /// BCP 47 tags by stream number, of which FFmpeg reports the language of the first two letters.
  private(set) var languages: [Int: String] = [:]
  /// Names of streams by stream number.
  private(set) var streamNames: [Int: String] = [:]
  private(set) var attributes = ASFAttributes()
  /// Names of objects that no muxer writes.
  private(set) var parts: [String] = []
  /// The entries of the Language List object.
  private(set) var list: [String] = []
  /// A sentence about missing bytes of the Data object.
  ///
  /// `nil` if none are missing.
  private(set) var missing: String?

  private enum Object {
    static let header = guid(0x75B2_2630, 0x668E_11CF, 0xA6D9_00AA_0062_CE6C)
    static let data = guid(0x75B2_2636, 0x668E_11CF, 0xA6D9_00AA_0062_CE6C)
    static let fileProperties = guid(0x8CAB_DCA1, 0xA947_11CF, 0x8EE4_00C0_0C20_5365)
    static let headerExtension = guid(0x5FBF_03B5, 0xA92E_11CF, 0x8EE3_00C0_0C20_5365)
    static let languageList = guid(0x7C43_46A9, 0xEFE0_4BFC, 0xB229_393E_DE41_5C85)
    static let extendedStreamProperties = guid(0x14E6_A5CB, 0xC672_4332, 0x8399_A969_5206_5B5A)
    static let extendedContent = guid(0xD2D0_A440, 0xE307_11D2, 0x97F0_00A0_C95E_A850)
    static let metadata = guid(0xC5F8_CBEA, 0x5BAF_4877, 0x8467_AA8C_44FA_4CCA)
    static let metadataLibrary = guid(0x4423_1C94, 0x9498_49D1, 0xA141_1D13_4E45_7054)
    static let scriptCommand = guid(0x1EFB_1A30, 0x0B62_11D0, 0xA39B_00A0_C903_48F6)
    static let contentBranding = guid(0x2211_B3FA, 0xBD23_11D2, 0xB4B7_00A0_C955_FC6E)

    /// Returns the bytes of a GUID, whose first three fields are little-endian.
    private static func guid(_ first: UInt32, _ middle: UInt32, _ last: UInt64) -> [UInt8] {
      func bytes(_ value: UInt64, _ shifts: [UInt64]) -> [UInt8] {
        shifts.map { UInt8(truncatingIfNeeded: value >> $0) }
      }
      return bytes(UInt64(first), [0, 8, 16, 24]) + bytes(UInt64(middle), [16, 24, 0, 8])
        + bytes(last, [56, 48, 40, 32, 24, 16, 8, 0])
    }
  }

  private struct StreamLanguage {
    var stream: Int
    var index: Int
  }
  private var streams: [StreamLanguage] = []

  /// Maximum size of a header that is read: covers in it have a few MiB.
  private static let largest: UInt64 = 32 << 20
  private static let mostIndexes = 64
  /// Microseconds from 1601 to 1970.
  private static let epoch: Int64 = 11_644_473_600_000_000

  /// Reads a header as far as it is intact.
  ///
  /// Throws `io` and `cancelled`.
  init(_ source: ByteSource) throws(MediaError) {
    var reader = ByteReader(try source.read(at: 0, count: 30))
    guard let id = try? reader.take(16), id.elementsEqual(Object.header),
      let length = try? reader.little(UInt64.self), length >= 30, length <= Self.largest
    else { return }
    read(ByteReader(try source.read(at: 30, count: Int(length) - 30)), isExtension: false)
    for stream in streams where list.indices.contains(stream.index) {
      languages[stream.stream] = list[stream.index]
    }
    guard let size = source.size else { return }
    reader = ByteReader(try source.read(at: Int64(length), count: 24))
    // Writers that cannot seek back leave a size that is too small.
    guard (try? reader.take(16))?.elementsEqual(Object.data) == true,
      let declared = try? reader.little(UInt64.self), declared < 1 << 62
    else { return }
    let present = size - Int64(length)
    if Int64(declared) > present {
      missing = DeclaredExtent.sentence(
        "the Data object", declares: Int64(declared), there: present)
      return
    }
    guard declared >= 24 else { return }
    // Index objects follow.
    var offset = Int64(length) + Int64(declared)
    for _ in 0..<Self.mostIndexes where offset + 24 <= size {
      var object = ByteReader(try source.readExactly(at: offset, count: 24))
      try object.skip(16)
      let declared = try object.little(UInt64.self)
      guard declared >= 24, declared < 1 << 62 else { return }
      guard Int64(declared) <= size - offset else {
        missing = DeclaredExtent.sentence(
          "an Index object", declares: Int64(declared), there: size - offset)
        return
      }
      offset += Int64(declared)
    }
  }

  private mutating func read(_ objects: ByteReader, isExtension: Bool) {
    var objects = objects
    while let id = try? objects.take(16), let size = try? objects.little(UInt64.self), size >= 24,
      let length = Int(exactly: size), var body = try? objects.sub(length - 24)
    {
      switch Array(id) {
      case Object.fileProperties: creationTime = creationTime ?? Self.date(body)
      case Object.headerExtension where !isExtension:
        guard (try? body.skip(22)) != nil, let rest = try? body.sub(body.remaining) else { break }
        read(rest, isExtension: true)
      case Object.languageList: list = Self.languages(body)
      case Object.extendedStreamProperties:
        // Start and end time, bit rates, buffer sizes, largest object and flags (4.1).
        if (try? body.skip(48)) != nil, let stream = try? body.little(UInt16.self),
          let index = try? body.little(UInt16.self)
        {
          streams.append(StreamLanguage(stream: Int(stream), index: Int(index)))
          takeNames(body, of: Int(stream))
        }
      case Object.extendedContent: attributes.read(body, .extendedContentDescription)
      case Object.metadata: attributes.read(body, .metadata)
      case Object.metadataLibrary: attributes.read(body, .metadataLibrary)
      // A reserved GUID and the number of commands (3.6).
      case Object.scriptCommand:
        if (try? body.skip(16)) != nil, let count = try? body.little(UInt16.self), count > 0 {
          parts.append("script commands of ASF")
        }
      // The type of the banner image, which is 0 if there is none, comes first (3.13).
      case Object.contentBranding:
        if let type = try? body.little(UInt32.self), type != 0 {
          parts.append("banner image of ASF")
        }
      default: break
      }
    }
  }

  /// Stores the name of a stream; `properties` is at the average time of a frame (4.1).
  ///
  /// A stream may have names in several languages. Further ones are reported as lost.
  private mutating func takeNames(_ properties: ByteReader, of stream: Int) {
    var properties = properties
    guard (try? properties.skip(8)) != nil, let count = try? properties.little(UInt16.self),
      (try? properties.skip(2)) != nil
    else { return }
    for _ in 0..<count {
      // The index of its language comes first.
      guard (try? properties.skip(2)) != nil, let size = try? properties.little(UInt16.self),
        let bytes = try? properties.take(Int(size))
      else { return }
      let name = ASFAttributes.text(bytes)
      if let first = streamNames[stream] {
        let part = "further names of a stream of ASF"
        if name != first, !parts.contains(part) { parts.append(part) }
      } else if !name.isEmpty {
        streamNames[stream] = name
      }
    }
  }

  /// Returns the date in the File Properties object (3.2).
  ///
  /// `nil` for 1601 and 1970: programs that know no date write the start of their calendar.
  private static func date(_ properties: ByteReader) -> String? {
    var properties = properties
    // File ID and file size.
    guard (try? properties.skip(24)) != nil, let units = try? properties.little(UInt64.self),
      let microseconds = Int64(exactly: units / 10), ![0, epoch].contains(microseconds)
    else { return nil }
    return MetadataDate.text(microseconds: microseconds - epoch)
  }

  /// Returns the entries of a Language List object (4.6): a size in bytes, then UTF-16 text that ends with 0.
  private static func languages(_ list: ByteReader) -> [String] {
    var (list, result) = (list, [String]())
    guard let count = try? list.little(UInt16.self) else { return [] }
    while result.count < count, let size = try? list.u8(), let text = try? list.take(Int(size)) {
      result.append(ASFAttributes.text(text))
    }
    return result
  }
}

extension MediaDescription {
  /// Adds the date, the languages, and what FFmpeg leaves out of names and attributes.
  mutating func take(_ header: ASFHeader) {
    if let date = header.creationTime {
      metadata.append(MetadataEntry(MetadataDate.creationTime, date))
    }
    for index in tracks.indices {
      let stream = Int(clamping: tracks[index].id)
      if let name = header.streamNames[stream],
        !tracks[index].metadata.contains(where: { $0.name.lowercased() == "title" })
      {
        tracks[index].metadata.append(MetadataEntry("title", name))
      }
      // FFmpeg converts tags of two letters correctly.
      guard let language = header.languages[stream], language.count > 2 else { continue }
      tracks[index].language = LanguageCode.tag(language)
    }
    if !header.parts.isEmpty { sideData.append(SideData(unwrittenElements: header.parts)) }
    header.attributes.add(to: &self, languages: header.list)
  }
}
