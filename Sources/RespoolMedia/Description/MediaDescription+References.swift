extension MediaDescription {
  /// Of the tags by which references are told to the host.
  private static let keySpace = "tref"

  /// Which tracks refer to which others, in the order of the file; muxers do not go by it.
  ///
  /// They are among the native tags, which are no metadata then.
  public var trackReferences: [TrackReference] {
    get {
      nativeTags.compactMap { tag in
        guard tag.keySpace == Self.keySpace, let track = tag.track, let id = Int64(tag.value) else {
          return nil
        }
        return TrackReference(track: track, type: FourCC(tag.key), trackID: id)
      }
    }
    set {
      nativeTags.removeAll { $0.keySpace == Self.keySpace }
      nativeTags += newValue.map {
        NativeTag(
          keySpace: Self.keySpace, key: $0.type.description, value: "\($0.trackID)",
          kind: .integer, track: $0.track)
      }
    }
  }
}
