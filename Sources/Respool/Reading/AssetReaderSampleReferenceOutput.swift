import RespoolMedia

/// What a reader gives of where a track's samples lie: samples without data.
///
/// They go into QuickTime movies that refer to other files. Their attachments tell the file and the place in
/// it, their size how many bytes lie there. A track whose samples do not lie in the file as they are, such as
/// one of a stream that is cut into pages, fails the reader with `unsupported`.
public final class AssetReaderSampleReferenceOutput: AssetReaderOutput, @unchecked Sendable {
  public let track: AssetTrack

  public init(track: AssetTrack) {
    self.track = track
    super.init(mediaType: track.mediaType)
  }

  override var tracks: [AssetTrack] { [track] }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError) -> any SampleSource {
    try TrackStream(
      track, ranges: ranges, settings: nil, threads: threads, copies: false, givesReferences: true)
  }
}
