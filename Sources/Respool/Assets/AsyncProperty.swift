public import RespoolMedia

/// Something that can be asked of an asset or a track without blocking.
public struct AsyncProperty<Root: Sendable, Value: Sendable>: Sendable {
  /// How far loading is.
  public enum Status: Sendable {
    case notYetLoaded
    case loading
    case loaded(Value)
    case failed(MediaError)
  }

  /// Tells it from the root's other properties.
  let name: String
  /// Whether the root keeps the value: not what holds the root itself.
  let isKept: Bool
  let value: @Sendable (Root) throws(MediaError) -> Value

  /// The name is that of the declaration unless it is given.
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

  /// What is found out now, of a root that changes or has looked before.
  func current(of root: Root) -> Status {
    do throws(MediaError) { return .loaded(try value(root)) } catch { return .failed(error) }
  }
}

extension Asset {
  /// Loads a property; the task waits, no thread of Swift's does.
  ///
  /// What has been loaded of a file is kept; a composition is asked anew each time.
  public func load<Value>(_ property: AsyncProperty<Asset, Value>) async throws(MediaError)
    -> Value
  {
    guard path != nil else { return try await property.load(from: self) }
    return try await properties.load(property, of: self)
  }

  /// Loads several properties, one after the other.
  public func load<A, B, each Value>(
    _ a: AsyncProperty<Asset, A>, _ b: AsyncProperty<Asset, B>,
    _ others: repeat AsyncProperty<Asset, each Value>
  ) async throws(MediaError) -> (A, B, repeat each Value) {
    (try await load(a), try await load(b), repeat try await load(each others))
  }

  /// Whether `load` has loaded a property, and what; does not block for a file.
  ///
  /// Of a composition everything is there.
  public func status<Value>(of property: AsyncProperty<Asset, Value>)
    -> AsyncProperty<Asset, Value>.Status
  {
    path == nil ? property.current(of: self) : properties.status(of: property, self)
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

  /// Finds a number that no track has.
  public func findUnusedTrackID() async throws(MediaError) -> Int64 {
    try await AsyncProperty<Asset, Int64> { asset throws(MediaError) in
      try asset.unusedTrackID()
    }.load(from: self)
  }
}

extension AssetTrack {
  /// Loads a property; the task waits, no thread of Swift's does.
  ///
  /// What has been loaded of a file's track is kept; a composition's is asked anew each time.
  public func load<Value>(_ property: AsyncProperty<AssetTrack, Value>) async throws(MediaError)
    -> Value
  {
    guard isOfFile else { return try await property.load(from: self) }
    return try await properties.load(property, of: self)
  }

  /// Loads several properties, one after the other.
  public func load<A, B, each Value>(
    _ a: AsyncProperty<AssetTrack, A>, _ b: AsyncProperty<AssetTrack, B>,
    _ others: repeat AsyncProperty<AssetTrack, each Value>
  ) async throws(MediaError) -> (A, B, repeat each Value) {
    (try await load(a), try await load(b), repeat try await load(each others))
  }

  /// Whether `load` has loaded a property, and what; does not block for a file's track.
  ///
  /// Of a composition's track everything is there.
  public func status<Value>(of property: AsyncProperty<AssetTrack, Value>)
    -> AsyncProperty<AssetTrack, Value>.Status
  {
    isOfFile ? properties.status(of: property, self) : property.current(of: self)
  }
}
