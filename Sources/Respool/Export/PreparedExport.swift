import RespoolMedia

/// Source of an export after it has been opened, with the settings of the output.
struct PreparedExport {
  /// Media to export, with the reasons against copying it.
  private(set) var source: SourceMedia
  /// Media whose tracks are read separately, from any time; `nil` for a file that is read as a whole.
  let edited: EditedMedia?
  /// Demuxer of a file that is read as a whole, for the first reading; `nil` for an edited asset.
  let demuxer: Handover<DemuxerInstance>?
  /// Name of the plugin that reads the file; `nil` for an edited asset.
  let readingPlugin: String?
  /// Subtitles from other files, whose tracks follow those of the file.
  let sidecars: SidecarSet
  private var resolved: ResolvedSettings
  /// Decision to read the file with another demuxer; `nil` if the first one read it.
  private var rejection: ResolvedSettings.Decision?

  /// Opens a file to be read as a whole, and resolves the settings.
  ///
  /// Throws `unsupported` if no plugin reads the file, and `malformed` if it is damaged.
  init(_ file: FileSource, by resolver: ExportResolver) throws(MediaError) {
    try resolver.check()
    let opened = try resolver.registry.openDemuxer(file)
    var media = opened.media
    let (rejection, reader) = (opened.rejection, opened.factory.label)
    var sidecars = try SidecarSet(
      resolver.configuration.subtitleFiles, registry: resolver.registry)
    readingPlugin = opened.factory.plugin.name
    demuxer = Handover(opened)
    var resolved = try resolver.registry.resolved(
      media, of: file, for: resolver.fileType.rawValue
    ) { (completed) throws(MediaError) in
      media = sidecars.added(to: completed)
      var whole = SourceMedia(media, size: file.size)
      whole.showsFrames = true
      return try resolver.resolve(whole)
    }
    if let rejection {
      // The plugin for the format gives a better reason than a fallback that finds nothing to convert.
      if resolved.skipReason != nil { throw rejection }
      self.rejection = .init(rejection: rejection, reader: reader)
    }
    resolved.decisions += [self.rejection].compactMap(\.self) + sidecars.decisions
    self.sidecars = sidecars
    try resolver.openMuxer(of: resolved)
    (source, edited, self.resolved) = (SourceMedia(media, size: file.size), nil, resolved)
    source.showsFrames = true
  }

  /// Opens an edited asset, and resolves the settings.
  ///
  /// The exported part begins earlier than requested if its first frames need that. Throws `invalidArgument` for
  /// a time range that is not numeric or contains no media.
  init(_ asset: Asset, by resolver: ExportResolver) throws(MediaError) {
    try resolver.check()
    let files = resolver.configuration.subtitleFiles
    let whole =
      asset.isFile
      ? try SidecarSet(files, registry: resolver.registry)
      : SidecarSet(leavingOut: files, because: "the output is an edit whose times differ")
    var sidecars = whole
    func settings(_ edited: EditedMedia, _ sidecars: SidecarSet) throws(MediaError)
      -> ResolvedSettings
    {
      var settings = try resolver.resolve(edited.source)
      settings.decisions += edited.losses + sidecars.decisions
      return settings
    }
    var edited = try resolver.editedMedia(of: asset)
    edited.add(&sidecars)
    var resolved = try settings(edited, sidecars)
    try resolver.openMuxer(of: resolved)
    if let start = try edited.syncStart(resolved) {
      let lead = edited.timeRange.start - start
      edited = try resolver.editedMedia(of: asset, startingAt: start)
      sidecars = whole
      edited.add(&sidecars)
      resolved = try settings(edited, sidecars)
      resolved.decisions.append(.init(lead: lead, container: resolved.container))
    }
    (source, self.edited, self.resolved, demuxer) = (edited.source, edited, resolved, nil)
    (readingPlugin, self.sidecars) = (nil, sidecars)
  }

  var media: MediaDescription { source.media }

  /// The tracks whose frames are to be looked at, by index.
  var tracksToLookAt: [Int: SeenFrames.Wanted] {
    guard edited == nil else { return [:] }
    var tracks: [Int: SeenFrames.Wanted] = [:]
    for track in resolved.outputTracks {
      guard case .convertVideo(let conversion) = track.action, !conversion.looksFor.isEmpty else {
        continue
      }
      tracks[track.source, default: []].formUnion(conversion.looksFor)
    }
    return tracks
  }

  /// Resolves the settings again with what frames were seen to have, by track.
  mutating func resolve(withSeen seen: [Int: SeenFrames], by resolver: ExportResolver)
    throws(MediaError)
  {
    source.seen = seen
    resolved = try resolver.resolve(source)
    resolved.decisions += [rejection].compactMap(\.self) + sidecars.decisions
  }

  /// Returns the settings without the tracks of timed metadata that a filter removes.
  ///
  /// A filter that removes location tags also removes the GPS track.
  func settings(filteredBy filter: MetadataItemFilter?) -> ResolvedSettings {
    guard let filter else { return resolved }
    var settings = resolved
    for index in settings.tracks.indices where !settings.tracks[index].isDropped {
      let track = media.tracks[settings.tracks[index].source]
      guard track.isTimedMetadata else { continue }
      let specifications = FormatDescription(track).metadataSpecifications
      let isIncluded = specifications.allSatisfy { specification in
        var item = MetadataItem()
        item.identifier = specification.identifier
        return filter.includes(item)
      }
      guard !isIncluded || specifications.isEmpty else { continue }
      let reason = "the metadata filter removes keys of the track"
      settings.tracks[index].action = .drop(reason: reason)
      settings.decisions.append(
        .init(
          setting: .init(.track(TrackNumber(index: settings.tracks[index].source)), .treatment),
          value: "drop mebx data",
          reason: reason))
    }
    return settings
  }
}

extension ExportResolver {
  /// Throws the error of a muxer that cannot be opened, which refuses every track.
  fileprivate func openMuxer(of settings: ResolvedSettings) throws(MediaError) {
    _ = try registry.factory(for: settings.muxer)?.opened()
  }
}

extension ResolvedSettings.Decision {
  /// The decision to read a file with `reader`, after the demuxer that came first has rejected it.
  fileprivate init(rejection: MediaError, reader: String) {
    var rejection = rejection
    rejection.file = nil
    let words = "the file is read by \(reader), because another one rejects it: \(rejection)"
    self.init(setting: .init(.output, .named("demuxer")), value: reader, reason: words)
    note = words
  }
}
