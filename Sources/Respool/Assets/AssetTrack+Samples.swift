public import RespoolMedia

extension AssetTrack {
  /// Bytes of all samples of the track.
  ///
  /// Of a composition's: of all samples of the tracks that it is made of, each counted once. Blocks while all
  /// packets are looked at, once for a track of an asset. Throws where the file cannot be read.
  public func totalSampleDataLength() throws(MediaError) -> Int64 {
    var (total, seen) = (Int64(0), Set<String>())
    for source in sources {
      guard seen.insert("\(source.index) \(source.asset?.path ?? "")").inserted else { continue }
      total += try source.sampleIndex().byteCount
    }
    return total
  }

  /// Bits a second; 0 where not known.
  ///
  /// What the file tells, else all samples' bytes over the track's duration: then it blocks while all packets
  /// are looked at, once for a track of an asset. Of a composition's track it is what its first source tells.
  public var estimatedDataRate: Int64 {
    if description.bitRate > 0 { return description.bitRate }
    if !isOfFile { return sources.first?.estimatedDataRate ?? 0 }
    do throws(MediaError) {
      let own = timeRange.duration
      let duration = own.isNumeric && own > .zero ? own : try asset?.duration() ?? .invalid
      guard duration.isNumeric, duration > .zero else { return 0 }
      let bits = try Double(totalSampleDataLength()) * 8 / duration.seconds
      return Int64(exactly: bits.rounded()) ?? 0
    } catch { return 0 }
  }

  /// Whether it is sound of which packets need others to be decoded.
  ///
  /// Blocks and throws as `totalSampleDataLength` does.
  public func hasAudioSampleDependencies() throws(MediaError) -> Bool {
    guard mediaType == .audio else { return false }
    for source in sources where try !source.sampleIndex().allAreSync { return true }
    return false
  }

  /// The time in the track's media that is shown at a time of the asset.
  ///
  /// Invalid where the track has no media then.
  public func samplePresentationTime(forTrackTime time: MediaTime) -> MediaTime {
    guard let segment = segments.holding(time), !segment.isEmpty else { return .invalid }
    return time.mapped(from: segment.timeMapping.target, to: segment.timeMapping.source)
  }

  /// As the method that does not wait, by the name that code for AVFoundation has.
  public func loadSamplePresentationTime(forTrackTime time: MediaTime) async throws(MediaError)
    -> MediaTime
  {
    samplePresentationTime(forTrackTime: time)
  }

  /// As the method that does not wait, by the name that code for AVFoundation has.
  public func loadSegment(forTrackTime time: MediaTime) async throws(MediaError)
    -> AssetTrackSegment?
  {
    segment(forTrackTime: time)
  }
}
