import RespoolPlugin

/// A writer of `meta` boxes whose items have named keys (QuickTime File Format, "Metadata").
///
/// Phones write it into MP4 too. Like phones, it writes a plain box, not the full box of ISO/IEC 14496-12
/// 8.11.1: readers of such files, such as ExifTool, find no item in a full box.
struct ItemListWriter {
  /// Variable-length types for the integer types of 8, 16 and 32 bits (QuickTime File Format, "Well-known
  /// types").
  ///
  /// FFmpeg supports only the variable-length types.
  private static let plainTypes: [UInt32: UInt32] = [
    65: 21, 66: 21, 67: 21, 75: 22, 76: 22, 77: 22,
  ]

  private var keys: [String] = []
  private var items: [[(tag: NativeTag, value: TypedValue)]] = []

  /// Creates the list from the tags with the key space `mdta`, one item per key.
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

  /// Writes the box.
  ///
  /// If `hasPlainTypes`, integers get the variable-length types, which every reader supports.
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
