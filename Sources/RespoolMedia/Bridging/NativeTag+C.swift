public import CRespool

extension NativeTag {
  /// A copy of the C form.
  public init(_ value: borrowing rsp_tag) {
    self.init(
      keySpace: String(cString: value.key_space), key: String(cString: value.key),
      name: String(cString: value.name), value: String(cString: value.value),
      kind: Kind(rawValue: value.kind) ?? .text,
      language: value.language.map { String(cString: $0) },
      track: value.track >= 0 ? Int(value.track) : nil)
  }

  /// The C form; what it points to lives as long as `arena`.
  public func cValue(in arena: CArena) -> rsp_tag {
    rsp_tag(
      track: track.map { Int32(clamping: $0) } ?? -1, kind: kind.rawValue,
      key_space: arena.string(keySpace), key: arena.string(key), name: arena.string(name),
      value: arena.string(value), language: arena.string(language))
  }
}
