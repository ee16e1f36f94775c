import RespoolPlugin

/// Writes `udta`: metadata in iTunes' form, which every reader knows, and Nero's chapter list.
struct UserDataWriter {
  var metadata: [MetadataEntry]
  var covers: [(codec: String, bytes: [UInt8])]
  var chapters: [MediaDescription.Chapter]
  var flavor: Flavor

  func write(to writer: inout BoxWriter) {
    let entries = metadata.filter {
      !$0.isOfFile && $0.name != "creation_time" && !$0.value.isEmpty
    }
    guard !entries.isEmpty || !covers.isEmpty || !chapters.isEmpty else { return }
    writer.box("udta") { udta in
      if let place = entries.first(where: { $0.name == "location" })?.value {
        // QuickTime's international text, as phones write where they were.
        udta.box("\u{A9}xyz") {
          $0.u16(UInt16(clamping: place.utf8.count))
          $0.u16(0x15C7)
          $0.raw(place.utf8)
        }
      }
      let listed = entries.filter { $0.name != "location" }
      if !listed.isEmpty || !covers.isEmpty {
        udta.box("meta") { meta in
          meta.versionAndFlags(0)
          var handler = HandlerBox(handlerType: "mdir", name: "")
          handler.manufacturer = FourCC("appl").rawValue
          meta.write(handler)
          meta.box("ilst") { list in
            for entry in listed { write(entry, to: &list) }
            writeCovers(to: &list)
          }
        }
      }
      if !chapters.isEmpty {
        let list = chapters.sorted { $0.start < $1.start }.map {
          ChapterListBox.Chapter(start: UInt64(max(0, $0.start)) / 100, title: $0.title)
        }
        udta.write(ChapterListBox(chapters: list))
      }
    }
  }

  private func write(_ entry: MetadataEntry, to writer: inout BoxWriter) {
    if let code = ItemNames.itunes.first(where: { $0.name == entry.name })?.code {
      writer.box(code) { Self.data(1, Array(entry.value.utf8), to: &$0) }
    } else if entry.name == "track" || entry.name == "disc",
      let pair = Self.pair(entry.value)
    {
      writer.box(entry.name == "track" ? "trkn" : "disk") {
        var bytes: [UInt8] = [0, 0]
        for number in [pair.0, pair.1] { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }
        if entry.name == "track" { bytes += [0, 0] }
        Self.data(0, bytes, to: &$0)
      }
    } else if let code = ItemNames.numbers.first(where: { $0.value == entry.name })?.key,
      let number = Int32(entry.value)
    {
      writer.box(code) {
        let bytes: [UInt8] =
          code == "tves" || code == "tvsn"
          ? withUnsafeBytes(of: number.bigEndian) { Array($0) }
          : code == "tmpo"
            ? withUnsafeBytes(of: Int16(clamping: number).bigEndian) { Array($0) }
            : [UInt8(clamping: number)]
        Self.data(21, bytes, to: &$0)
      }
    } else {
      writer.box("----") {
        $0.box("mean") {
          $0.versionAndFlags(0)
          $0.raw("com.apple.iTunes".utf8)
        }
        $0.box("name") {
          $0.versionAndFlags(0)
          $0.raw(entry.name.utf8)
        }
        Self.data(1, Array(entry.value.utf8), to: &$0)
      }
    }
  }

  private func writeCovers(to writer: inout BoxWriter) {
    guard !covers.isEmpty else { return }
    writer.box("covr") {
      for cover in covers {
        let kind: UInt32 = cover.codec == "png" ? 14 : cover.codec == "bmp" ? 27 : 13
        Self.data(kind, cover.bytes, to: &$0)
      }
    }
  }

  private static func data(_ kind: UInt32, _ bytes: [UInt8], to writer: inout BoxWriter) {
    writer.box("data") {
      $0.u32(kind)
      $0.u32(0)
      $0.raw(bytes)
    }
  }

  /// `3` or `3/12`.
  private static func pair(_ text: String) -> (UInt16, UInt16)? {
    let parts = text.split(separator: "/", maxSplits: 1)
    guard let first = parts.first.flatMap({ UInt16($0) }) else { return nil }
    guard parts.count == 2 else { return (first, 0) }
    return UInt16(parts[1]).map { (first, $0) }
  }
}
