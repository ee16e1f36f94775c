package import CRespool

extension NativeTag {
  /// A copy of the C form.
  package init(_ value: borrowing rsp_tag) {
    self.init(
      keySpace: String(cString: value.key_space), key: String(cString: value.key),
      name: String(cString: value.name), value: String(cString: value.value),
      kind: Kind(rawValue: value.kind & 0xFF) ?? .text,
      dataType: value.kind >> Self.typeShift > 0 ? value.kind >> Self.typeShift - 1 : nil,
      language: value.language.map { String(cString: $0) },
      track: value.track >= 0 ? Int(value.track) : nil)
  }

  /// The C form; what it points to lives as long as `arena`.
  package func cValue(in arena: CArena) -> rsp_tag {
    rsp_tag(
      track: track.map { Int32(clamping: $0) } ?? -1,
      kind: kind.rawValue | (dataType.map { $0 < 0xFF_FFFF ? $0 + 1 : 0 } ?? 0) << Self.typeShift,
      key_space: arena.string(keySpace), key: arena.string(key), name: arena.string(name),
      value: arena.string(value), language: arena.string(language))
  }

  private static let typeShift = UInt32(RSP_TAG_TYPE_SHIFT)
}
