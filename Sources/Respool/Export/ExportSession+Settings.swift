public import RespoolMedia

/// Handling of audio tracks that are alternatives to each other, such as languages.
public struct AssetTrackGroupOutputHandling: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Writes each of them as a separate track, passed through if the file type can store it.
  public static let preserveAlternateTracks = AssetTrackGroupOutputHandling(rawValue: 1)
}

extension ExportSession {
  /// File type to write.
  ///
  /// The preset's by default. Set it before `prepare`, which throws if the preset cannot be written as this type.
  public var outputFileType: FileType {
    get { configuration.outputFileType ?? FileType(preset.container) }
    set { configure { $0.outputFileType = newValue } }
  }

  /// `true` if other files are converted at the same time, as in a batch.
  ///
  /// `false` by default. Set it before `prepare`. Encoders then leave cores to the other conversions, which may
  /// change the output bytes. `threads` and the machine never change them.
  public var isOneOfMany: Bool {
    get { configuration.isOneOfMany }
    set { configure { $0.isOneOfMany = newValue } }
  }

  /// Files of subtitles whose text is added to the output as tracks.
  ///
  /// None by default; ``SubtitleFile/files(beside:)`` finds those of a film. Set it before `prepare`. Only a file and a
  /// part of it can have them. One that cannot be read or added is a loss of the report.
  public var subtitleFiles: [SubtitleFile] {
    get { configuration.subtitleFiles }
    set { configure { $0.subtitleFiles = newValue } }
  }

  /// Part of the asset to export.
  ///
  /// Everything by default. Set it before `prepare`.
  public var timeRange: TimeRange {
    get { configuration.timeRange }
    set { configure { $0.timeRange = newValue } }
  }

  /// Audio mix to apply.
  ///
  /// `nil`, the default: all tracks of a composition are mixed at their own volume. Set it before `prepare`.
  /// Audio tracks are then not passed through; the preset `passthrough` ignores the mix.
  public var audioMix: AudioMix? {
    get { configuration.audioMix }
    set { configure { $0.audioMix = newValue } }
  }

  /// Video composition to apply.
  ///
  /// `nil`, the default: the first video track is shown. Set it before `prepare`. Video tracks are then not
  /// passed through; the preset `passthrough` ignores the composition.
  public var videoComposition: VideoComposition? {
    get { configuration.videoComposition }
    set { configure { $0.videoComposition = newValue } }
  }

  /// `true` if audio tracks that would be mixed remain separate, each at the volume of the mix.
  ///
  /// `false` by default. For files whose tracks are alternatives, such as languages. Set it before `prepare`.
  public var keepsAudioTracksSeparate: Bool {
    get { configuration.keepsAudioTracksSeparate }
    set { configure { $0.keepsAudioTracksSeparate = newValue } }
  }

  /// Handling of audio tracks that are alternatives.
  ///
  /// Empty, the default: no special handling. Set it before `prepare`, which throws `invalidArgument` if there is
  /// also an audio mix: tracks that are mixed cannot be preserved.
  public var audioTrackGroupHandling: AssetTrackGroupOutputHandling {
    get { configuration.audioTrackGroupHandling }
    set { configure { $0.audioTrackGroupHandling = newValue } }
  }

  /// Algorithm for audio that a composition plays slower or faster, if the audio mix sets none.
  ///
  /// `spectral` by default. Set it before `prepare`.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
    get { configuration.audioTimePitchAlgorithm }
    set { configure { $0.audioTimePitchAlgorithm = newValue } }
  }

  /// Additional rotation of the video.
  ///
  /// `nil`, the default: frames are shown as their tracks state. Set it before `prepare`. It is written as
  /// metadata if the container can store it and the preset does not rotate the pixels. It does not apply to a
  /// video composition, which has its own transforms.
  public var rotation: Rotation? {
    get { configuration.rotation }
    set { configure { $0.rotation = newValue } }
  }

  /// Tags to write.
  ///
  /// `nil`, the default: the asset's tags, as far as the preset keeps them. Artwork items replace the asset's
  /// covers, which are tracks and are otherwise kept. Items that the container cannot store are reported as
  /// losses.
  public var metadata: [MetadataItem]? {
    get { configuration.metadata }
    set { configure { $0.metadata = newValue } }
  }

  /// Filter of the asset's tags to write.
  ///
  /// `nil`, the default: all. It applies to the tags of tracks too. `metadata` is written whatever the filter is.
  /// A track of timed metadata is written only if the filter includes all of its keys.
  public var metadataItemFilter: MetadataItemFilter? {
    get { configuration.metadataItemFilter }
    set { configure { $0.metadataItemFilter = newValue } }
  }

  /// `true` if the data that a player needs first comes first in the file.
  ///
  /// Set it before `prepare`. The default is the preset's setting, or `true` if the preset has none.
  /// AVFoundation's default is `false`. File types in which this data always comes first ignore it.
  public var shouldOptimizeForNetworkUse: Bool {
    get {
      configuration.isOptimizedForNetwork
        ?? (preset.containerOptions.last { $0.name == "faststart" }?.value != "false")
    }
    set { configure { $0.isOptimizedForNetwork = newValue } }
  }

  /// Extent of the check of the output before it is published.
  ///
  /// `usual` by default. Set it before `export`. The export fails if the output is damaged.
  public var verification: OutputVerification {
    get { configuration.verification }
    set { configure { $0.verification = newValue } }
  }

  /// `true` if the output gets the permissions and times of the asset's file; `false` by default.
  ///
  /// Set before `export`. Without effect on a composition.
  package var keepsFileAttributes: Bool {
    get { configuration.keepsFileAttributes }
    set { configure { $0.keepsFileAttributes = newValue } }
  }
}
