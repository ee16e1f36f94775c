import RespoolMedia

extension AssetWriter {
  /// Returns the number of a passed-through sample's description, and the updated track if the description is
  /// new.
  ///
  /// The description of the first sample counts as that of `track`, the format hint. Throws `unsupported` if
  /// samples of the new format cannot follow in the same track. Also throws it if the container or its fragments
  /// cannot store a further description.
  func format(
    of sample: AcceptedSample, for input: AssetWriterInput, _ track: TrackDescription,
    _ base: Rational
  ) throws(MediaError) -> (number: Int, update: TrackDescription?) {
    let format = sample.format
    // For text and metadata only the hint applies.
    guard input.mediaType == .video || input.mediaType == .audio,
      var formats = input.formats
    else { return (0, nil) }
    defer { input.formats = formats }
    if let known = formats.number(of: format) { return (known, nil) }
    let time = sample.time.seconds
    if let difference = format.track.difference(to: track) {
      throw MediaError(
        .unsupported, "samples of one track cannot change from \(difference), as at \(time) s")
    }
    let isFragmented = configured(\.isInFragments) || configured(\.isSegmented)
    guard muxer.description.flags.contains(.keepsFormats), !isFragmented else {
      throw MediaError(
        .unsupported,
        "from \(time) s on samples have another sample description, which "
          + (isFragmented ? "fragments" : "\(muxer.description.name)") + " cannot store")
    }
    let number = formats.add(format)
    var stated = track
    stated.timeBase = base
    stated.furtherFormats = formats.further
    return (number, stated)
  }
}
