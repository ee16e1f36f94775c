public import RespoolMedia

// Blocks where the file has to be opened; throws as `mediaDescription` does.
extension Asset {
  /// How fast it is meant to be played, as the file says; 1 is normal, and what holds where it says nothing.
  public func preferredRate() throws(MediaError) -> Double {
    try mediaDescription().preferredRate ?? 1
  }

  /// How loud it is meant to be played, as the file says; 1 is full, and what holds where it says nothing.
  public func preferredVolume() throws(MediaError) -> Double {
    try mediaDescription().preferredVolume ?? 1
  }

  /// How the picture is to be turned: as its first track of pictures says, covers left aside.
  ///
  /// The identity where there is none.
  public func preferredTransform() throws(MediaError) -> DisplayMatrix {
    try tracks().first { $0.description.isMovingPicture }?.preferredTransform ?? .identity
  }

  /// Whether times and durations are those of the media and not what a header says: of compositions, and of
  /// files that were opened so.
  public var providesPreciseDurationAndTiming: Bool { path == nil || measures }

  /// Whether it is a movie that fragments may extend (ISO/IEC 14496-12 8.8.1).
  public func canContainFragments() throws(MediaError) -> Bool {
    try mediaDescription().fragments != .none
  }

  /// Whether fragments extend it.
  public func containsFragments() throws(MediaError) -> Bool {
    try mediaDescription().fragments == .present
  }

  /// The least number above 0 that no track has.
  public func unusedTrackID() throws(MediaError) -> Int64 {
    let taken = Set(try tracks().map(\.trackID))
    var identifier: Int64 = 1
    while taken.contains(identifier) { identifier += 1 }
    return identifier
  }
}
