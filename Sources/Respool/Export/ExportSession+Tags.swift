import RespoolMedia

extension ExportSession {
  /// Returns the tags to write: `metadata` if it is set, else the tags of the source.
  func tags(_ settings: ResolvedSettings) -> FileTags {
    let available = registry.availablePlugins
    func tags(_ items: [MetadataItem]) -> FileTags {
      FileTags(items, for: settings.muxer.description) {
        available.refusal(of: settings.muxer, for: $0)
      }
    }
    if let metadata { return tags(metadata) }
    guard settings.keepsMetadata, let media else { return FileTags() }
    var kept: FileTags
    if let metadataItemFilter {
      kept = tags(
        MetadataItem.items(of: media).filter {
          metadataItemFilter.includes($0) && !MetadataEntry($0.tagName ?? "", "").isOfWriter
        })
      kept.keepDate(of: media, metadataItemFilter)
    } else {
      kept = FileTags(of: media)
    }
    if let audio = settings.outputTracks.first(where: { $0.kind == .audio }) {
      let rate = media.tracks[audio.source].sampleRate
      var newRate = rate
      if case .convertAudio(let conversion) = audio.action { newRate = conversion.sampleRate }
      kept.moveTimeReference(by: edited?.timeRange.start ?? .zero, from: rate, to: newRate)
    }
    return kept
  }
}
