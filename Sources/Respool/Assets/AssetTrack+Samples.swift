public import RespoolMedia

extension AssetTrack {
  /// Returns the size of all samples of the track, in bytes.
  ///
  /// For a composition track: of all samples of its source tracks, each source counted once. Blocks while all packets
  /// are read, once for each source track. Throws if the file cannot be read.
  public func totalSampleDataLength() throws(MediaError) -> Int64 {
    var (total, seen) = (Int64(0), Set<String>())
    for source in sources {
      guard seen.insert("\(source.index) \(source.asset?.path ?? "")").inserted else { continue }
      total += try source.sampleIndex().byteCount
    }
    return total
  }

  /// Returns `true` if this is an audio track with packets that need other packets to be decoded.
  ///
  /// Blocks and throws as `totalSampleDataLength` does.
  public func hasAudioSampleDependencies() throws(MediaError) -> Bool {
    guard mediaType == .audio else { return false }
    for source in sources where try !source.sampleIndex().allAreSync { return true }
    return false
  }

  /// Returns the time in the track's media that is shown at a time of the asset.
  ///
  /// Invalid if the track has no media at that time.
  public func samplePresentationTime(forTrackTime time: MediaTime) -> MediaTime {
    guard let segment = segments.holding(time), !segment.isEmpty else { return .invalid }
    return time.mapped(from: segment.timeMapping.target, to: segment.timeMapping.source)
  }

  /// Returns the result of `samplePresentationTime(forTrackTime:)`; AVFoundation's name for it.
  public func loadSamplePresentationTime(forTrackTime time: MediaTime) async throws(MediaError)
    -> MediaTime
  {
    samplePresentationTime(forTrackTime: time)
  }

  /// Returns the result of `segment(forTrackTime:)`; AVFoundation's name for it.
  public func loadSegment(forTrackTime time: MediaTime) async throws(MediaError)
    -> AssetTrackSegment?
  {
    segment(forTrackTime: time)
  }
}
