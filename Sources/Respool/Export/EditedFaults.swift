import RespoolMedia

/// Faults of the files of an edited asset, as the report of an export states them.
struct EditedFaults {
  let faults: [SourceFault]
  let edited: EditedMedia
  /// Duration of the media written.
  let writtenSeconds: Double

  /// A sentence for each part of the files that could not be read or decoded.
  var damage: [String] {
    let all = faults.filter { $0.cut == nil }.map { "\(PathName.last($0.path)): \($0.message)" }
    let more = all.count > 4 ? ["\(all.count - 4) more places are damaged"] : []
    return all.prefix(4) + more
  }

  /// Returns the description of a source that ends within the exported part; `nil` if it does not.
  ///
  /// A composition ends early if one of its sources does; the first is named.
  func incomplete() throws(MediaError) -> IncompleteSource? {
    let cut = faults.first { $0.cut != nil }
    guard edited.asset.isFile else { return try incompleteClip(cut) }
    let media = try edited.asset.mediaDescription()
    let range = edited.timeRange
    let end = range.start.seconds + writtenSeconds
    // Nothing is missing from a part that ends before the source does.
    let isReached = range.duration.isNumeric && end + 0.1 > range.end.seconds
    guard cut != nil || media.endsEarly && !isReached else { return nil }
    // The source may end before the part, or while its last frame is shown to the end of the part.
    let time = min(end, try measuredEnd(of: edited.asset))
    return IncompleteSource(media, cut: cut?.cut, readTo: time, isWhole: false)
  }

  /// Describes the first file of a composition that ends early.
  private func incompleteClip(_ cut: SourceFault?) throws(MediaError) -> IncompleteSource? {
    let clips = edited.asset.sources
    if let cut {
      return try incomplete(
        clips.first { $0.path == cut.path } ?? Asset(path: cut.path), cut.message)
    }
    for clip in clips {
      let media = try clip.mediaDescription()
      if media.endsEarly { return try incomplete(clip, media.earlyEnd) }
    }
    return nil
  }

  /// Describes a file of a composition, with the end of its last packet.
  private func incomplete(_ clip: Asset, _ reason: String) throws(MediaError) -> IncompleteSource {
    IncompleteSource(
      clip: PathName.last(clip.path ?? ""), time: try measuredEnd(of: clip), declared: nil,
      reason: reason)
  }

  /// Returns the end of the last packet of a file in seconds; 0 if it is unknown.
  private func measuredEnd(of file: Asset) throws(MediaError) -> Double {
    let end = try file.measured().duration()
    return end.isNumeric ? end.seconds : 0
  }
}
