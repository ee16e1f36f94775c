public import RespoolMedia

/// A property of an asset or a track that can be loaded without blocking.
public struct AsyncProperty<Root: Sendable, Value: Sendable>: Sendable {
  /// State of loading a property.
  public enum Status: Sendable {
    case notYetLoaded
    case loading
    case loaded(Value)
    case failed(MediaError)
  }

  /// Identifies the property among those of its root.
  let name: String
  /// `true` if the root may cache the value; `false` for values that hold the root itself.
  let isKept: Bool
  let value: @Sendable (Root) throws(MediaError) -> Value

  /// Creates a property; the default name is that of the declaration.
  init(
    _ name: String = #function, isKept: Bool = true,
    _ value: @escaping @Sendable (Root) throws(MediaError) -> Value
  ) {
    self.name = name
    self.isKept = isKept
    self.value = value
  }

  func load(from root: Root) async throws(MediaError) -> Value {
    let value = value
    return try await PlainThread.result("load") { () throws(MediaError) in try value(root) }
  }

  /// Computes the value now, for a root that can change or has been read before.
  func current(of root: Root) -> Status {
    do throws(MediaError) { return .loaded(try value(root)) } catch { return .failed(error) }
  }
}

extension Asset {
  /// Loads a property without blocking a thread of the cooperative pool.
  ///
  /// Loaded values of a file are cached; those of a composition are computed again each time.
  public func load<Value>(_ property: AsyncProperty<Asset, Value>) async throws(MediaError)
    -> Value
  {
    guard let propertyCache else { return try await property.load(from: self) }
    return try await propertyCache.load(property, of: self)
  }

  /// Loads several properties one after another.
  public func load<A, B, each Value>(
    _ a: AsyncProperty<Asset, A>, _ b: AsyncProperty<Asset, B>,
    _ others: repeat AsyncProperty<Asset, each Value>
  ) async throws(MediaError) -> (A, B, repeat each Value) {
    (try await load(a), try await load(b), repeat try await load(each others))
  }

  /// Returns the state of a property, with its value if it is loaded; does not block for a file.
  ///
  /// Properties of a composition are always loaded.
  public func status<Value>(of property: AsyncProperty<Asset, Value>)
    -> AsyncProperty<Asset, Value>.Status
  {
    propertyCache?.status(of: property, self) ?? property.current(of: self)
  }

  public func loadTracks(withMediaType type: MediaType) async throws(MediaError) -> [AssetTrack] {
    try await AsyncProperty<Asset, [AssetTrack]> { asset throws(MediaError) in
      try asset.tracks(withMediaType: type)
    }.load(from: self)
  }

  /// Loads the tracks that have a characteristic.
  public func loadTracks(withMediaCharacteristic characteristic: MediaCharacteristic)
    async throws(MediaError) -> [AssetTrack]
  {
    try await AsyncProperty<Asset, [AssetTrack]> { asset throws(MediaError) in
      try asset.tracks(withMediaCharacteristic: characteristic)
    }.load(from: self)
  }

  public func loadTrack(withTrackID identifier: Int64) async throws(MediaError) -> AssetTrack? {
    try await AsyncProperty<Asset, AssetTrack?> { asset throws(MediaError) in
      try asset.track(withTrackID: identifier)
    }.load(from: self)
  }

  /// Finds the lowest number above 0 that no track has as its `trackID`.
  public func findUnusedTrackID() async throws(MediaError) -> Int64 {
    try await AsyncProperty<Asset, Int64> { asset throws(MediaError) in
      try asset.unusedTrackID()
    }.load(from: self)
  }
}

extension AssetTrack {
  /// Loads a property without blocking a thread of the cooperative pool.
  ///
  /// Loaded values of a file's track are cached; those of a composition track are computed again each time.
  public func load<Value>(_ property: AsyncProperty<AssetTrack, Value>) async throws(MediaError)
    -> Value
  {
    guard let propertyCache else { return try await property.load(from: self) }
    return try await propertyCache.load(property, of: self)
  }

  /// Loads several properties one after another.
  public func load<A, B, each Value>(
    _ a: AsyncProperty<AssetTrack, A>, _ b: AsyncProperty<AssetTrack, B>,
    _ others: repeat AsyncProperty<AssetTrack, each Value>
  ) async throws(MediaError) -> (A, B, repeat each Value) {
    (try await load(a), try await load(b), repeat try await load(each others))
  }

  /// Returns the state of a property, with its value if it is loaded; does not block for a file's track.
  ///
  /// Properties of a composition track are always loaded.
  public func status<Value>(of property: AsyncProperty<AssetTrack, Value>)
    -> AsyncProperty<AssetTrack, Value>.Status
  {
    propertyCache?.status(of: property, self) ?? property.current(of: self)
  }
}
