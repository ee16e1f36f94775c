import RespoolMedia

extension AssetWriterInput {
  /// Folder that paths of referenced media files are relative to.
  ///
  /// `nil`, the default: the movie stores absolute paths. Applies to samples of an
  /// ``AssetReaderSampleReferenceOutput``. They can be written to QuickTime movies without fragments. The movie
  /// does not contain their media, but refers to their files. The files must be in this folder or below it. A
  /// player resolves the paths relative to the folder of the movie. If this is the movie's own folder, the movie
  /// can be moved together with its media. A relative path starts at the working directory of the process.
  public var sampleReferenceBasePath: String? {
    get { configured(\.referenceBase) }
    set { configure(\.referenceBase, newValue) }
  }

  /// Returns the reference that a muxer stores for `size` bytes of a track in another file.
  ///
  /// Call with the input's `admission` held. Throws `unsupported` if the muxer cannot write references. Throws
  /// `invalidArgument` for a file outside the folder, and for a format other than that of the previous samples.
  func place(
    of reference: SampleReference, _ size: Int, _ track: TrackDescription, in muxer: PluginFactory
  ) throws(MediaError) -> MediaReference {
    guard muxer.description.flags.contains(.writesReferences) else {
      throw MediaError(
        .unsupported,
        "a sample has no data: \(muxer.description.name) does not refer to media in other "
          + "files; mov does"
      )
    }
    let first = sourceFormatHint?.track ?? referredTrack ?? track
    referredTrack = first
    guard (first.codec, first.extradata) == (track.codec, track.extradata) else {
      throw MediaError(
        .invalidArgument,
        "a sample in \(reference.path) has another format than the first, and a track has only one")
    }
    let path = FileName.absolute(reference.path)
    guard let folder = sampleReferenceBasePath.map(FileName.absolute) else {
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
