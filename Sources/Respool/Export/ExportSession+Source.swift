import RespoolMedia

extension ExportSession {
  /// Returns the demuxer for the settings: `demuxer` if it was opened in the right mode and not read yet.
  ///
  /// The frame times that a demuxer provides depend on whether the frames are decoded or copied. That is known
  /// only after the file's contents are known.
  func opened(
    _ source: FileSource, _ demuxer: DemuxerInstance?, for settings: ResolvedSettings
  ) throws(MediaError) -> DemuxerInstance {
    if let demuxer, !Self.changesTimes(demuxer) || !Self.copiesReordered(settings, demuxer) {
      return demuxer
    }
    let fresh = try registry.openDemuxer(source)
    guard Self.changesTimes(fresh), Self.copiesReordered(settings, fresh) else { return fresh }
    return try registry.openDemuxer(source, for: .copying)
  }

  /// Returns `true` if the demuxer reports other times for frames that are copied.
  private static func changesTimes(_ demuxer: DemuxerInstance) -> Bool {
    demuxer.factory.description.packetTiming.contains(.shownTimes)
  }

  /// Returns `true` if a video track is copied whose presentation order differs from its decoding order.
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
