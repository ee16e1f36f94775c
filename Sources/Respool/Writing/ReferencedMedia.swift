import RespoolMedia

/// Media of a track that stays in other files, to which the movie refers.
struct ReferencedMedia {
  private let muxer: FactoryDescription
  /// Folder that paths are relative to; `nil`: paths are absolute.
  private let folder: String?
  /// Description of the track that the samples belong to: the format hint, or that of the first sample.
  private var track: TrackDescription?

  init(of input: AssetWriterInput, muxer: PluginFactory) {
    self.muxer = muxer.description
    folder = input.sampleReferenceBasePath.map(PathName.absolute)
    track = input.sourceFormatHint?.track
  }

  /// Returns the reference that a muxer stores for `size` bytes of a sample's track in another file.
  ///
  /// Throws `unsupported` if the muxer cannot write references. Throws `invalidArgument` for a file outside the
  /// folder, and for a format other than that of the previous samples.
  mutating func place(
    of reference: SampleReference, size: Int, in source: TrackDescription
  ) throws(MediaError) -> MediaReference {
    guard muxer.flags.contains(.writesReferences) else {
      throw MediaError(
        .unsupported,
        "a sample has no data: \(muxer.name) does not refer to media in other files; mov does")
    }
    let first = track ?? source
    track = first
    guard (first.codec, first.extradata) == (source.codec, source.extradata) else {
      throw MediaError(
        .invalidArgument,
        "a sample in \(reference.path) has another format than the first, and a track has only one")
    }
    let path = PathName.absolute(reference.path)
    guard let folder else {
      return MediaReference(path: path, offset: reference.byteOffset, length: Int64(size))
    }
    let start = folder == "/" ? folder : folder + "/"
    guard path.utf8.starts(with: start.utf8), path.utf8.count > start.utf8.count else {
      throw MediaError(
        .invalidArgument,
        "a sample is in \(path), outside the base folder of references, \(folder)")
    }
    let rest = String(decoding: path.utf8.dropFirst(start.utf8.count), as: UTF8.self)
    return MediaReference(path: rest, offset: reference.byteOffset, length: Int64(size))
  }
}
