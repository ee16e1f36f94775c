package import CRespool

extension MuxerSettings {
  /// Copies the C form as far as the struct's own size says; throws `invalidArgument` for values out of range.
  package init(
    _ settings: UnsafePointer<rsp_muxing_settings>, options: [PluginOption], trackCount: Int
  ) throws(MediaError) {
    let value = rsp_muxing_settings.copy(settings)
    self.init(options: options)
    let flags = Int(value.flags)
    if flags & (RSP_MUXING_HEADER_FIRST | RSP_MUXING_HEADER_LAST) != 0 {
      isOptimizedForNetwork = flags & RSP_MUXING_HEADER_FIRST != 0
    }
    cutsAtDuration = flags & RSP_MUXING_CUT_AT_DURATION != 0
    isCombinable = flags & RSP_MUXING_COMBINABLE != 0
    guard let format = SegmentFormat(rawValue: value.segments) else {
      throw MediaError(.invalidArgument, "segments of the kind \(value.segments) are unknown")
    }
    segmentFormat = format
    fragmentInterval = try Self.positive(value.fragment_interval, "fragment_interval")
    firstFragmentInterval = try Self.positive(
      value.first_fragment_interval, "first_fragment_interval")
    firstFragmentNumber = max(1, value.first_fragment_number)
    durationHint = try Self.positive(value.duration_hint, "duration_hint")
    timeScale = try Self.scale(value.time_scale)
    guard value.track_count == 0 || Int(value.track_count) == trackCount else {
      throw MediaError(
        .invalidArgument,
        "there are settings of \(value.track_count.counting("track")); there are \(trackCount)")
    }
    for (index, track) in rsp_muxing_track.list(value.tracks, value.track_count).enumerated() {
      do throws(MediaError) {
        tracks.append(try Track(track, trackCount: trackCount))
      } catch {
        var error = error
        error.track = index
        throw error
      }
    }
  }

  /// The C form, without the options; what it points to lives as long as `arena`.
  package func cValue(in arena: CArena) -> rsp_muxing_settings {
    var flags = 0
    if let isOptimizedForNetwork {
      flags |= isOptimizedForNetwork ? RSP_MUXING_HEADER_FIRST : RSP_MUXING_HEADER_LAST
    }
    if cutsAtDuration { flags |= RSP_MUXING_CUT_AT_DURATION }
    if isCombinable { flags |= RSP_MUXING_COMBINABLE }
    return rsp_muxing_settings(
      struct_size: structSize(rsp_muxing_settings.self), flags: UInt32(flags),
      segments: segmentFormat.rawValue, first_fragment_number: firstFragmentNumber,
      fragment_interval: fragmentInterval ?? 0,
      first_fragment_interval: firstFragmentInterval ?? 0, duration_hint: durationHint ?? 0,
      time_scale: Int64(timeScale ?? 0), track_count: UInt32(tracks.count), reserved: 0,
      tracks: arena.list(tracks.map { $0.cValue(in: arena) }).start)
  }

  /// Returns the value, `nil` for 0; throws `invalidArgument` if it is no positive number.
  fileprivate static func positive(
    _ value: Double, _ name: String, through limit: Double = .greatestFiniteMagnitude
  ) throws(MediaError) -> Double? {
    guard value >= 0, value <= limit else {
      throw MediaError(.invalidArgument, "\(name) is \(value)")
    }
    return value > 0 ? value : nil
  }

  fileprivate static func scale(_ value: Int64) throws(MediaError) -> Int32? {
    guard let scale = Int32(exactly: value), scale >= 0 else {
      throw MediaError(.invalidArgument, "time_scale is \(value)")
    }
    return scale > 0 ? scale : nil
  }
}

extension MuxerSettings.Track {
  fileprivate init(_ value: rsp_muxing_track, trackCount: Int) throws(MediaError) {
    let flags = Int(value.flags)
    isEnabled = flags & RSP_MUXING_TRACK_DISABLED == 0
    precedesMainMediaData = flags & RSP_MUXING_TRACK_FIRST != 0
    timeScale = try MuxerSettings.scale(value.time_scale)
    guard value.volume <= 127 else {
      throw MediaError(.invalidArgument, "volume is \(value.volume)")
    }
    volume = value.volume >= 0 ? value.volume : nil
    let width = try MuxerSettings.positive(value.width, "width", through: 65535)
    let height = try MuxerSettings.positive(value.height, "height", through: 65535)
    if let width, let height { naturalSize = .init(width: width, height: height) }
    chunkDuration = try MuxerSettings.positive(value.chunk_duration, "chunk_duration")
    guard value.chunk_alignment >= 0 else {
      throw MediaError(.invalidArgument, "chunk_alignment is \(value.chunk_alignment)")
    }
    chunkAlignment = max(1, value.chunk_alignment)
    guard let group = Int16(exactly: value.alternate_group), group >= 0 else {
      throw MediaError(.invalidArgument, "alternate_group is \(value.alternate_group)")
    }
    alternateGroup = group > 0 ? group : nil
    guard let list = value.references else { return }
    for index in 0..<Int(value.reference_count) {
      guard Int(list[index].track) < trackCount else {
        throw MediaError(
          .invalidArgument,
          "a reference to \(TrackNumber(index: Int(list[index].track))), which does not exist")
      }
      references.append(
        MuxerSettings.Reference(
          type: FourCC(rawValue: list[index].type.byteSwapped), track: Int(list[index].track)))
    }
  }

  fileprivate func cValue(in arena: CArena) -> rsp_muxing_track {
    var flags = 0
    if !isEnabled { flags |= RSP_MUXING_TRACK_DISABLED }
    if precedesMainMediaData { flags |= RSP_MUXING_TRACK_FIRST }
    let references = references.map {
      rsp_muxing_reference(type: $0.type.tag, track: UInt32(clamping: $0.track))
    }
    return rsp_muxing_track(
      struct_size: structSize(rsp_muxing_track.self), flags: UInt32(flags),
      time_scale: Int64(timeScale ?? 0), volume: volume ?? -1, width: naturalSize?.width ?? 0,
      height: naturalSize?.height ?? 0, chunk_duration: chunkDuration ?? 0,
      chunk_alignment: chunkAlignment, alternate_group: Int32(alternateGroup ?? 0),
      reference_count: UInt32(references.count), references: arena.array(references))
  }
}
