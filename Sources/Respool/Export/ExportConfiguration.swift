import RespoolMedia

/// Settings of an export session in addition to its preset.
///
/// ``ExportSession`` documents them.
struct ExportConfiguration {
  static let everything = TimeRange(start: .zero, duration: .positiveInfinity)

  var isOneOfMany = false
  var timeRange = everything
  var audioMix: AudioMix?
  var videoComposition: VideoComposition?
  var keepsAudioTracksSeparate = false
  var rotation: Rotation?
  var audioTimePitchAlgorithm = AudioTimePitchAlgorithm.spectral
  var audioTrackGroupHandling: AssetTrackGroupOutputHandling = []
  var metadata: [MetadataItem]?
  var metadataItemFilter: MetadataItemFilter?
  var fileLengthLimit: Int64 = 0
  var subtitleFiles: [SubtitleFile] = []
  /// File type to write; `nil`: the preset's.
  var outputFileType: FileType?
  /// `true` if the data that a player needs first comes first; `nil`: as the preset's options state.
  var isOptimizedForNetwork: Bool?
  var outputPath: String?
  var keepsFileAttributes = false
  var verification = OutputVerification.usual
  var directoryForTemporaryFiles: String?
  /// Minimum length of the parts of a resumable export.
  var parts = PartLength()

  /// `true` if a file cannot be exported as a whole.
  var isEdited: Bool {
    timeRange != Self.everything || audioMix != nil || videoComposition != nil
      || rotation != nil
  }

  var preservesAlternates: Bool { audioTrackGroupHandling.contains(.preserveAlternateTracks) }
}
