import RespoolMedia

/// Sample descriptions of a track that is passed through.
struct PassedFormats {
  private let mediaType: MediaType
  private let hint: FormatDescription?
  private let output: WriterOutput
  /// Descriptions so far; `nil` before the first sample.
  private var formats: JoinedFormats?

  init(of input: AssetWriterInput, _ output: WriterOutput) {
    (mediaType, hint, self.output) = (input.mediaType, input.sourceFormatHint, output)
  }

  /// Returns the number of a sample's description.
  ///
  /// `beginning` is the description of the track, with the first sample. `update` is the updated one, if the
  /// sample's description is new. The description of the first sample counts as that of the format hint. Throws
  /// `unsupported` if samples of the new format cannot follow in the same track. Also throws it if the container
  /// or its fragments cannot store a further description.
  mutating func describe(_ sample: AcceptedSample, timeBase: Rational) throws(MediaError)
    -> (number: Int, beginning: TrackDescription?, update: TrackDescription?)
  {
    let format = sample.format
    var track = (hint ?? format).track
    track.timeBase = timeBase
    let muxer = output.muxer
    guard formats != nil else {
      formats = JoinedFormats(first: format)
      if hint == nil { try output.registry.checkMuxer(muxer, track: format.track) }
      return (0, track, nil)
    }
    // For text and metadata only the hint applies.
    guard mediaType == .video || mediaType == .audio else { return (0, nil, nil) }
    if let known = formats?.number(of: format) { return (known, nil, nil) }
    let time = sample.time.seconds
    if let difference = format.track.difference(to: track) {
      throw MediaError(
        .unsupported, "samples of one track cannot change from \(difference), as at \(time) s")
    }
    guard muxer.description.flags.contains(.keepsFormats), !output.isFragmented else {
      throw MediaError(
        .unsupported,
        "from \(time) s on samples have another sample description, which "
          + (output.isFragmented ? "fragments" : "\(muxer.description.name)") + " cannot store")
    }
    let number = formats?.add(format) ?? 0
    track.furtherSampleDescriptions = formats?.further ?? []
    return (number, nil, track)
  }
}
