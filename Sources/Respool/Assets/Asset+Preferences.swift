public import RespoolMedia

// These methods block if the file has to be opened, and throw as `mediaDescription` does.
extension Asset {
  /// Returns the playback rate that the file asks for.
  ///
  /// 1 is normal and the default if the file stores none.
  public func preferredRate() throws(MediaError) -> Double {
    try mediaDescription().preferredRate ?? 1
  }

  /// Returns the playback volume that the file asks for.
  ///
  /// 1 is full volume and the default if the file stores none.
  public func preferredVolume() throws(MediaError) -> Double {
    try mediaDescription().preferredVolume ?? 1
  }

  /// Returns the display matrix of the first video track that is not a cover.
  ///
  /// The identity if there is no such track.
  public func preferredTransform() throws(MediaError) -> DisplayMatrix {
    try tracks().first { $0.description.isMovingPicture }?.preferredTransform ?? .identity
  }

  /// Returns `true` if the file is a movie that fragments may extend (ISO/IEC 14496-12 8.8.1).
  public func canContainFragments() throws(MediaError) -> Bool {
    try mediaDescription().fragments != .none
  }

  /// Returns `true` if fragments extend the movie.
  public func containsFragments() throws(MediaError) -> Bool {
    try mediaDescription().fragments == .present
  }

  /// Returns the lowest number above 0 that no track has as its `trackID`.
  public func unusedTrackID() throws(MediaError) -> Int64 {
    let taken = Set(try tracks().map(\.trackID))
    var identifier: Int64 = 1
    while taken.contains(identifier) { identifier += 1 }
    return identifier
  }
}
