import RespoolMedia

extension AssetWriterInput {
  /// The folder from which a movie tells where samples without data lie; nil, the default: it tells the whole
  /// path.
  ///
  /// For samples of an ``AssetReaderSampleReferenceOutput``, which go into QuickTime movies that are not in
  /// fragments: the movie gets no media of theirs, but refers to their files. These have to lie in that folder or
  /// below it, and where the movie is when it is played it is looked for them: a movie for which this is its own
  /// folder can be moved together with its media. A path that is not whole begins at the folder in which the
  /// process works.
  public var sampleReferenceBasePath: String? {
    get { configured(\.referenceBase) }
    set { configure(\.referenceBase, newValue) }
  }

  /// What a muxer is told of `size` bytes of a track that lie in another file.
  ///
  /// With the input's `admission` held. Throws `unsupported` where the muxer has no references, `invalidArgument` for a
  /// file outside of the folder and for another format than that of the samples before.
  func place(
    of reference: SampleReference, _ size: Int, _ track: TrackDescription, in muxer: PluginFactory
  ) throws(MediaError) -> MediaReference {
    guard muxer.description.flags.contains(.writesReferences) else {
      throw MediaError(
        .unsupported,
        "a sample without data: \(muxer.description.name) does not refer to media in other files; mov does"
      )
    }
    let first = sourceFormatHint?.track ?? referredTrack ?? track
    referredTrack = first
    guard (first.codec, first.extradata) == (track.codec, track.extradata) else {
      throw MediaError(
        .invalidArgument,
        "a sample in \(reference.path) is of another format than the first, and a track has one")
    }
    let path = FileName.absolute(reference.path)
    guard let folder = sampleReferenceBasePath.map(FileName.absolute) else {
      return MediaReference(path: path, offset: reference.byteOffset, length: Int64(size))
    }
    let start = folder == "/" ? folder : folder + "/"
    guard path.utf8.starts(with: start.utf8), path.utf8.count > start.utf8.count else {
      throw MediaError(
        .invalidArgument,
        "a sample lies in \(path), outside of the folder that references start from, \(folder)")
    }
    let rest = String(decoding: path.utf8.dropFirst(start.utf8.count), as: UTF8.self)
    return MediaReference(path: rest, offset: reference.byteOffset, length: Int64(size))
  }
}
