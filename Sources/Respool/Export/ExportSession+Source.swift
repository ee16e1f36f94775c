import RespoolMedia

extension ExportSession {
  /// The source as the settings need it: `demuxer` where it has been opened like that and not been read.
  ///
  /// What times pictures get hangs on whether they are decoded, and that is settled by what is in the file.
  func opened(
    _ source: FileSource, _ demuxer: DemuxerInstance?, for settings: ResolvedSettings
  ) throws(MediaError) -> DemuxerInstance {
    if let demuxer, !demuxer.factory.makesShownTimes || !Self.copiesReordered(settings, demuxer) {
      return demuxer
    }
    let fresh = try registry.openDemuxer(source)
    guard fresh.factory.makesShownTimes, Self.copiesReordered(settings, fresh) else { return fresh }
    return try registry.openDemuxer(source, for: .copying)
  }

  /// Whether pictures are copied that are shown in another order than they are decoded in.
  private static func copiesReordered(_ settings: ResolvedSettings, _ demuxer: DemuxerInstance)
    -> Bool
  {
    let tracks = demuxer.media.tracks
    return settings.outputTracks.contains { track in
      guard case .passThrough = track.action, tracks.indices.contains(track.source) else {
        return false
      }
      return tracks[track.source].kind == .video && tracks[track.source].reorderDepth > 0
    }
  }
}
