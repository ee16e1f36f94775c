import RespoolMedia

extension ExportSession {
  /// Returns the settings without the tracks of timed metadata that the filter removes.
  ///
  /// A filter that removes location tags also removes the GPS track.
  func sharing(_ settings: ResolvedSettings) -> ResolvedSettings {
    guard let filter = metadataItemFilter, let media else { return settings }
    var settings = settings
    for index in settings.tracks.indices where !settings.tracks[index].isDropped {
      let track = media.tracks[settings.tracks[index].source]
      guard track.isTimedMetadata else { continue }
      let specifications = FormatDescription(track).metadataSpecifications
      let isShared = specifications.allSatisfy { specification in
        var item = MetadataItem()
        item.identifier = specification.identifier
        return filter.includes(item)
      }
      guard !isShared || specifications.isEmpty else { continue }
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
