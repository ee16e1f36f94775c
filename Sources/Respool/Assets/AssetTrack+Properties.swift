public import RespoolMedia

// Properties that a track can load; the value of each is that of the member with its name.

extension AsyncProperty where Root == AssetTrack, Value == (width: Double, height: Double) {
  public static var naturalSize: Self { Self { $0.naturalSize } }
}

extension AsyncProperty where Root == AssetTrack, Value == DisplayMatrix {
  public static var preferredTransform: Self { Self { $0.preferredTransform } }
}

extension AsyncProperty where Root == AssetTrack, Value == Double {
  public static var nominalFrameRate: Self { Self { $0.nominalFrameRate } }
}

extension AsyncProperty where Root == AssetTrack, Value == Float {
  public static var preferredVolume: Self { Self { $0.preferredVolume } }
}

extension AsyncProperty where Root == AssetTrack, Value == MediaTime {
  public static var minFrameDuration: Self { Self { $0.minFrameDuration } }
}

extension AsyncProperty where Root == AssetTrack, Value == TimeRange {
  public static var timeRange: Self { Self { $0.timeRange } }
}

extension AsyncProperty where Root == AssetTrack, Value == Int32 {
  public static var naturalTimeScale: Self { Self { $0.naturalTimeScale } }
}

extension AsyncProperty where Root == AssetTrack, Value == Int64 {
  public static var estimatedDataRate: Self { Self { $0.estimatedDataRate } }
  public static var totalSampleDataLength: Self {
    Self { track throws(MediaError) in try track.totalSampleDataLength() }
  }
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

extension AsyncProperty where Root == AssetTrack, Value == [TrackAssociationType] {
  public static var availableTrackAssociationTypes: Self {
    Self { $0.availableTrackAssociationTypes }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Bool {
  public static var isEnabled: Self { Self { $0.isEnabled } }
  public static var isDecodable: Self { Self { $0.isDecodable() } }
  public static var isPlayable: Self { Self { $0.isPlayable() } }
  public static var isSelfContained: Self { Self { $0.isSelfContained } }
  public static var requiresFrameReordering: Self { Self { $0.requiresFrameReordering } }
  public static var canProvideSampleCursors: Self { Self { $0.canProvideSampleCursors } }
  public static var hasAudioSampleDependencies: Self {
    Self { track throws(MediaError) in try track.hasAudioSampleDependencies() }
  }
}
