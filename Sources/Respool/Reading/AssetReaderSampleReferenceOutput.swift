import RespoolMedia

/// References to a track's stored samples, without their data, as a reader's output.
///
/// They are written to QuickTime movies that refer to other files. Their attachments state the file and the
/// byte offset in it; their size is the number of bytes there. The reader fails with `unsupported` if the
/// samples are not stored contiguously in the file, as in a stream that is divided into pages.
// Sendable: every stored property is constant and Sendable.
public final class AssetReaderSampleReferenceOutput: AssetReaderOutput, @unchecked Sendable {
  public let track: AssetTrack

  public init(track: AssetTrack) {
    self.track = track
    super.init(mediaType: track.mediaType)
  }

  override var tracks: [AssetTrack] { [track] }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError)
    -> sending any SampleSource
  {
    try TrackStream(
      track, ranges: ranges, settings: nil, threads: threads, copies: false, givesReferences: true)
  }
}
