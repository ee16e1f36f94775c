import RespoolPlugin

/// Writes `meta` of movies and tracks: items whose keys are names in a table (QuickTime File Format,
/// "Metadata").
///
/// Phones write it into MP4 as well, and like them this writes a plain box and not the full one of ISO/IEC 14496-12
/// 8.11.1: readers of such files, ExifTool among them, find no item in a full one.
struct ItemListWriter {
  /// Whole numbers of 8, 16 and 32 bits, and those of any length (QuickTime File Format,
  /// "Well-known types"); FFmpeg knows only those.
  private static let plainTypes: [UInt32: UInt32] = [
    65: 21, 66: 21, 67: 21, 75: 22, 76: 22, 77: 22,
  ]

  private var keys: [String] = []
  private var items: [[(tag: NativeTag, value: TypedValue)]] = []

  /// The tags of the key space `mdta`, one item to a key.
  init(_ tags: [NativeTag]) {
    for tag in tags where tag.keySpace == "mdta" && !tag.key.isEmpty {
      guard let value = TypedValue(tag) else { continue }
      if let index = keys.firstIndex(of: tag.key) {
        items[index].append((tag, value))
      } else {
        keys.append(tag.key)
        items.append([(tag, value)])
      }
    }
  }

  /// `hasPlainTypes`: numbers are written as the types that every reader knows, those of any length.
  func write(to writer: inout BoxWriter, hasPlainTypes: Bool) {
    guard !keys.isEmpty else { return }
    writer.box("meta") { meta in
      meta.write(HandlerBox(handlerType: "mdta", name: ""))
      meta.box("keys") {
        $0.versionAndFlags(0)
        $0.u32(UInt32(clamping: keys.count))
        for key in keys {
          $0.u32(UInt32(clamping: key.utf8.count + 8))
          $0.code("mdta")
          $0.raw(key.utf8)
        }
      }
      meta.box("ilst") { list in
        for (index, values) in items.enumerated() {
          list.box(FourCC(rawValue: UInt32(clamping: index + 1))) { item in
            for (tag, value) in values {
              let locale = ItemKeys.locale(of: tag.language)
              item.box("data") {
                $0.u32(hasPlainTypes ? Self.plainTypes[value.type] ?? value.type : value.type)
                $0.u16(locale.country)
                $0.u16(locale.language)
                $0.raw(value.bytes)
              }
            }
          }
        }
      }
    }
  }
}
