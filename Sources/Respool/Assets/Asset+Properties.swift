public import RespoolMedia

// Properties that an asset can load; the value of each is the result of the member with its name.

extension AsyncProperty where Root == Asset, Value == MediaTime {
  public static var duration: Self { Self { asset throws(MediaError) in try asset.duration() } }
}

extension AsyncProperty where Root == Asset, Value == [AssetTrack] {
  public static var tracks: Self {
    Self(isKept: false) { asset throws(MediaError) in try asset.tracks() }
  }
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
  public static var providesPreciseDurationAndTiming: Self {
    Self { $0.providesPreciseDurationAndTiming }
  }
  public static var isPlayable: Self { Self { $0.isPlayable() } }
  public static var isExportable: Self { Self { $0.isExportable() } }
  public static var isComposable: Self { Self { $0.isComposable() } }
  public static var hasProtectedContent: Self {
    Self { asset throws(MediaError) in try asset.hasProtectedContent() }
  }
  public static var canContainFragments: Self {
    Self { asset throws(MediaError) in try asset.canContainFragments() }
  }
  public static var containsFragments: Self {
    Self { asset throws(MediaError) in try asset.containsFragments() }
  }
}

extension AsyncProperty where Root == Asset, Value == DisplayMatrix {
  public static var preferredTransform: Self {
    Self(isKept: false) { asset throws(MediaError) in try asset.preferredTransform() }
  }
}

extension AsyncProperty where Root == Asset, Value == String? {
  public static var lyrics: Self { Self { asset throws(MediaError) in try asset.lyrics() } }
}

extension AsyncProperty where Root == Asset, Value == Double {
  public static var preferredRate: Self {
    Self { asset throws(MediaError) in try asset.preferredRate() }
  }
  public static var preferredVolume: Self {
    Self { asset throws(MediaError) in try asset.preferredVolume() }
  }
}
