/// Tags with several values, such as artists, which some containers have apart and others as one text.
extension NativeTag {
  /// Returns one entry for each name, with its values in order and `;` between them, as FFmpeg joins them.
  ///
  /// A value that is there already is not repeated. Tags for which `isApart` returns `true` get entries of their own.
  public static func entries(_ tags: [NativeTag], isApart: (NativeTag) -> Bool = { _ in false })
    -> [MetadataEntry]
  {
    var names: [String] = []
    var values: [String: [String]] = [:]
    var apart: [MetadataEntry] = []
    for tag in tags {
      if isApart(tag) {
        apart.append(MetadataEntry(tag.name, tag.value))
      } else if let known = values[tag.name] {
        if !known.contains(tag.value) { values[tag.name] = known + [tag.value] }
      } else {
        names.append(tag.name)
        values[tag.name] = [tag.value]
      }
    }
    return names.map { MetadataEntry($0, joined(values[$0] ?? [])) } + apart
  }

  fileprivate static func joined(_ values: [String]) -> String { values.joined(separator: ";") }
}

/// The values that the entries of a file's metadata join.
public struct TagValues {
  private var values: [String: [String]] = [:]

  public init(_ media: MediaDescription) { self.init(media.nativeTags.filter { $0.track == nil }) }

  public init(_ tags: [NativeTag]) {
    for tag in tags {
      let name = tag.name.lowercased()
      if values[name]?.contains(tag.value) != true { values[name, default: []].append(tag.value) }
    }
  }

  /// Returns the values of an entry; its own if nothing tells of several.
  public subscript(entry: MetadataEntry) -> [String] {
    let values = values[entry.name.lowercased()] ?? []
    return values.count > 1 && NativeTag.joined(values) == entry.value ? values : [entry.value]
  }
}

extension NativeTag {
  /// `true` if the entries of the tag's name have its value.
  ///
  /// A movie may have two places of recording, or two titles: one in its user data, one among the items of iTunes. One of
  /// them is the entry.
  public func isTold(by entries: [MetadataEntry]) -> Bool {
    guard kind == .text, ["itsk", "udta", "uiso"].contains(keySpace) else { return true }
    let values = entries.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    return values.isEmpty
      || values.contains { $0 == value || $0.split(separator: ";").contains { $0 == value } }
  }
}
