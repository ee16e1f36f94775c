public import RespoolMedia

/// Something that can be asked of an asset or a track without blocking.
public struct AsyncProperty<Root: Sendable, Value: Sendable>: Sendable {
  let value: @Sendable (Root) throws(MediaError) -> Value

  init(_ value: @escaping @Sendable (Root) throws(MediaError) -> Value) { self.value = value }

  func load(from root: Root) async throws(MediaError) -> Value {
    let value = value
    return try await PlainThread.result("load") { () throws(MediaError) in try value(root) }
  }
}

extension Asset {
  /// Loads a property; the task waits, no thread of Swift's does.
  public func load<Value>(_ property: AsyncProperty<Asset, Value>) async throws(MediaError)
    -> Value
  {
    try await property.load(from: self)
  }

  /// Loads two properties.
  public func load<A, B>(_ a: AsyncProperty<Asset, A>, _ b: AsyncProperty<Asset, B>)
    async throws(MediaError) -> (A, B)
  {
    (try await load(a), try await load(b))
  }

  /// Loads three properties.
  public func load<A, B, C>(
    _ a: AsyncProperty<Asset, A>, _ b: AsyncProperty<Asset, B>, _ c: AsyncProperty<Asset, C>
  ) async throws(MediaError) -> (A, B, C) {
    (try await load(a), try await load(b), try await load(c))
  }

  public func loadTracks(withMediaType type: MediaType) async throws(MediaError) -> [AssetTrack] {
    try await AsyncProperty<Asset, [AssetTrack]> { asset throws(MediaError) in
      try asset.tracks(withMediaType: type)
    }.load(from: self)
  }

  public func loadTrack(withTrackID identifier: Int64) async throws(MediaError) -> AssetTrack? {
    try await AsyncProperty<Asset, AssetTrack?> { asset throws(MediaError) in
      try asset.track(withTrackID: identifier)
    }.load(from: self)
  }
}

extension AsyncProperty where Root == Asset, Value == MediaTime {
  public static var duration: Self { Self { asset throws(MediaError) in try asset.duration() } }
}

extension AsyncProperty where Root == Asset, Value == [AssetTrack] {
  public static var tracks: Self { Self { asset throws(MediaError) in try asset.tracks() } }
}

extension AsyncProperty where Root == Asset, Value == [MediaDescription.Chapter] {
  public static var chapters: Self { Self { asset throws(MediaError) in try asset.chapters() } }
}

extension AsyncProperty where Root == Asset, Value == [TrackGroup] {
  public static var trackGroups: Self {
    Self { asset throws(MediaError) in try asset.trackGroups() }
  }
}

extension AsyncProperty where Root == Asset, Value == Bool {
  public static var isReadable: Self { Self { $0.isReadable() } }
}

extension AssetTrack {
  /// Loads a property; the task waits, no thread of Swift's does.
  public func load<Value>(_ property: AsyncProperty<AssetTrack, Value>) async throws(MediaError)
    -> Value
  {
    try await property.load(from: self)
  }

  /// Loads two properties.
  public func load<A, B>(_ a: AsyncProperty<AssetTrack, A>, _ b: AsyncProperty<AssetTrack, B>)
    async throws(MediaError) -> (A, B)
  {
    (try await load(a), try await load(b))
  }
}

extension AsyncProperty where Root == AssetTrack, Value == (width: Double, height: Double) {
  public static var naturalSize: Self { Self { $0.naturalSize } }
}

extension AsyncProperty where Root == AssetTrack, Value == DisplayMatrix {
  public static var preferredTransform: Self { Self { $0.preferredTransform } }
}

extension AsyncProperty where Root == AssetTrack, Value == Double {
  public static var nominalFrameRate: Self { Self { $0.nominalFrameRate } }
}

extension AsyncProperty where Root == AssetTrack, Value == MediaTime {
  public static var minFrameDuration: Self { Self { $0.minFrameDuration } }
}

extension AsyncProperty where Root == AssetTrack, Value == TimeRange {
  public static var timeRange: Self { Self { $0.timeRange } }
}

extension AsyncProperty where Root == AssetTrack, Value == Int64 {
  public static var estimatedDataRate: Self { Self { $0.estimatedDataRate } }
}

extension AsyncProperty where Root == AssetTrack, Value == [FormatDescription] {
  public static var formatDescriptions: Self { Self { $0.formatDescriptions } }
}

extension AsyncProperty where Root == AssetTrack, Value == [AssetTrackSegment] {
  public static var segments: Self { Self { $0.segments } }
}

extension AsyncProperty where Root == AssetTrack, Value == String? {
  public static var languageCode: Self { Self { $0.languageCode } }
  public static var extendedLanguageTag: Self { Self { $0.extendedLanguageTag } }
}

extension AsyncProperty where Root == AssetTrack, Value == Bool {
  public static var isEnabled: Self { Self { $0.isEnabled } }
}
