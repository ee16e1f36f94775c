import RespoolMedia

extension MediaDescription {
  /// Shifts the chapters as an export by `settings` shifts the tracks: the first track that is kept starts at 0.
  mutating func moveChapters(with settings: ResolvedSettings) {
    let kept = Set(settings.outputTracks.map(\.source))
    let offset = DemuxLoop.startOffset(tracks, isSelected: tracks.indices.map { kept.contains($0) })
    guard offset > 0, !chapters.isEmpty else { return }
    for index in chapters.indices {
      chapters[index].start = max(0, chapters[index].start - offset)
      chapters[index].end = max(chapters[index].start, chapters[index].end - offset)
    }
    // These records contain the original times. Times in tags are kept: they are less precise than an encoder
    // delay.
    sideData.removeAll { $0.isAboutChapters && $0.type != .id3Places }
  }
}
