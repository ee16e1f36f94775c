public import RespoolMedia

/// Settings for re-encoding one video track.
public struct VideoConversion: Hashable, Sendable {
  /// Treatment of the source's display matrix.
  public enum RotationMode: Hashable, Sendable {
    /// The output has the source's matrix; the frames are not rotated.
    case keepMatrix(DisplayMatrix)
    /// The frames are rotated, and the output has no matrix.
    case rotatePixels(DisplayMatrix.Orientation)
  }

  /// Filters before the frames are rotated and scaled.
  ///
  /// `nil` if there are none.
  public var filters: TrackFilters?
  /// Subtitles that are drawn into the frames after they are rotated and scaled.
  ///
  /// `nil` if there are none.
  public var subtitles: BurntSubtitles?
  public var encoder: AvailablePlugins.Factory
  /// Codec of the output, as FFmpeg spells it.
  public var codec: String
  /// Width of the encoded frame, after rotation of its pixels and before a matrix is applied.
  public var width: Int
  public var height: Int
  /// Pixel aspect ratio of the encoded frame.
  public var sampleAspect: Rational
  public var pixelFormat: PixelFormat
  /// Color description of the encoded frames.
  ///
  /// Frames of another range or matrix are converted.
  public var color: ColorDescription
  public var rotation: RotationMode
  /// Field order of the encoded frames; progressive if they have no fields.
  public var fieldOrder: TrackDescription.FieldOrder
  /// Maximum frames per second; frames that come sooner are dropped.
  ///
  /// `nil` keeps every frame.
  public var maximumFrameRate: Rational?
  /// Frames per second after the limit.
  ///
  /// `unknown` if the source does not state it.
  public var frameRate: Rational
  /// Length of the intervals that begin with a key frame, in seconds.
  ///
  /// Intervals are counted from time 0. The encoder may add more key frames. `nil`: the encoder decides alone.
  public var keyFrameInterval: Double?
  /// Number of times that the frames are encoded, 1 or 2; the first of two passes only measures them.
  public var passes = 1
  /// Bits per second.
  ///
  /// `nil`: not requested.
  public var bitRate: Int64?
  /// Quality on the encoder's own scale.
  ///
  /// `nil`: not requested.
  public var quality: Double?
  public var options: [PluginOption]
  /// Number of encoder threads if it changes the bytes.
  ///
  /// `nil` for any number.
  public var threads: Int?
  /// `true` if the encoder keeps the data of Dolby Vision of each frame, and the record that describes it.
  public var keepsDolbyVision = false
  /// Properties of frames on which the conversion depends, and which are to be looked for before it.
  package var looksFor: SeenFrames.Wanted = []
}
