/// That a track refers to another one of its file, such as metadata to what it describes (ISO/IEC
/// 14496-12 8.3.3).
public struct TrackReference: Hashable, Sendable {
  /// Such as `cdsc`: it describes the other.
  public var type: FourCC
  /// The other's own number in the file.
  public var trackID: Int64

  public init(type: FourCC, trackID: Int64) {
    self.type = type
    self.trackID = trackID
  }
}

extension TrackDescription {
  private static let referencesName = "track_references"

  /// The tracks that this one refers to.
  ///
  /// Kept among the track's metadata, `cdsc:2 cdep:2`.
  public var references: [TrackReference] {
    get {
      let text = metadata.last { $0.name == Self.referencesName }?.value ?? ""
      return text.split(separator: " ").compactMap { word in
        guard let colon = word.lastIndex(of: ":"), let id = Int64(word[word.index(after: colon)...])
        else { return nil }
        let type = word[..<colon]
        return type.utf8.count == 4 ? TrackReference(type: FourCC(String(type)), trackID: id) : nil
      }
    }
    set {
      metadata.removeAll { $0.name == Self.referencesName }
      let words = newValue.map { "\($0.type):\($0.trackID)" }
      guard !words.isEmpty else { return }
      metadata.append(MetadataEntry(Self.referencesName, words.joined(separator: " ")))
    }
  }
}
