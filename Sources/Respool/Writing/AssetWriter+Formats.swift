import RespoolMedia

extension AssetWriter {
  /// Which of its track's formats a sample has that passes through; the file is told of one that is new.
  ///
  /// What the first sample has counts as what `track`, the format hint, says. Throws `unsupported` where samples
  /// of the new format cannot follow in the same track, or the container or fragments have no place for it.
  func format(
    of sample: SampleBuffer, for input: AssetWriterInput, _ track: TrackDescription,
    _ base: Rational, _ port: MuxPort
  ) throws(MediaError) -> Int {
    let format = sample.formatDescription
    // Of text and of metadata the hint tells alone.
    guard input.mediaType == .video || input.mediaType == .audio,
      var formats = input.formats
    else { return 0 }
    defer { input.formats = formats }
    if let known = formats.number(of: format) { return known }
    let time = sample.presentationTimeStamp.seconds
    if let difference = format.track.difference(to: track) {
      throw MediaError(
        .unsupported, "samples of one track cannot change from \(difference), as at \(time) s")
    }
    let isFragmented = configured(\.isInFragments) || configured(\.isSegmented)
    guard muxer.description.flags.contains(.keepsFormats), !isFragmented else {
      throw MediaError(
        .unsupported,
        "from \(time) s on samples are coded in another way, for which "
          + (isFragmented ? "fragments have" : "\(muxer.description.name) has") + " no place")
    }
    let number = formats.add(format)
    var told = track
    told.timeBase = base
    told.furtherFormats = formats.further
    port.update(told)
    return number
  }
}
