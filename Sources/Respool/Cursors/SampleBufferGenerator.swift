public import RespoolMedia
import Synchronization

/// Reads stored samples of an asset's tracks at the positions of cursors.
///
/// Usable from any thread; one request is served at a time.
public final class SampleBufferGenerator: Sendable {
  public let asset: Asset
  /// Fetchers by track index.
  private let fetchers = Mutex<[Int: SampleFetcher]>([:])

  public init(asset: Asset) { self.asset = asset }

  /// Number of bytes after which a request ends, unless its minimum or maximum count asks for more samples.
  private static let suitable = 8 << 20

  /// Returns the sample at the start cursor of the request.
  ///
  /// Blocks while its bytes are read. Throws as `makeSampleBuffers` does.
  public func makeSampleBuffer(for request: SampleBufferRequest) throws(MediaError) -> SampleBuffer
  {
    let cursor = request.startCursor
    return try fetch(cursor, cursor.position.withLock { $0 })
  }

  /// Returns the samples of a request in one buffer each, from the start cursor on.
  ///
  /// With `maxSampleCount` 0, the request ends at the limit cursor, or earlier once it has `preferredMinSampleCount`
  /// samples and 8 MiB. Without a limit cursor too, it ends after `preferredMinSampleCount` samples, at least 1.
  ///
  /// Blocks while the bytes are read. Throws `invalidArgument` for cursors of another asset or track, and errors of
  /// reading.
  public func makeSampleBuffers(for request: SampleBufferRequest) throws(MediaError)
    -> [SampleBuffer]
  {
    let limits = request.state.withLock { $0 }
    let (cursor, entries) = (request.startCursor, request.startCursor.index.entries)
    let start = cursor.position.withLock { $0 }
    guard limits.direction != .none else { return [try fetch(cursor, start)] }
    let step = limits.direction.rawValue
    var last = step > 0 ? entries.count - 1 : 0
    if let limit = limits.limit {
      guard limit.index === cursor.index else {
        throw MediaError(
          .invalidArgument, "the limit cursor of the request belongs to another track")
      }
      last = limit.position.withLock { $0 }
    }
    var most = limits.mostCount > 0 ? limits.mostCount : Int.max
    if limits.mostCount == 0, limits.limit == nil { most = max(1, limits.leastCount) }
    var samples: [SampleBuffer] = []
    var bytes = 0
    for number in stride(from: start, through: last, by: step) {
      let isWanted = samples.count < max(limits.leastCount, limits.mostCount)
      guard samples.count < most, bytes < Self.suitable || isWanted else { break }
      samples.append(try fetch(cursor, number))
      bytes += Int(entries[number].size)
    }
    return samples
  }

  /// Asynchronous version of `makeSampleBuffer`; does not block a thread of the cooperative pool.
  public func loadSampleBuffer(for request: SampleBufferRequest) async throws(MediaError)
    -> SampleBuffer
  {
    try await PlainThread.result("samples") { () throws(MediaError) in
      try self.makeSampleBuffer(for: request)
    }
  }

  /// Asynchronous version of `makeSampleBuffers`; does not block a thread of the cooperative pool.
  public func loadSampleBuffers(for request: SampleBufferRequest) async throws(MediaError)
    -> [SampleBuffer]
  {
    try await PlainThread.result("samples") { () throws(MediaError) in
      try self.makeSampleBuffers(for: request)
    }
  }

  private func fetch(_ cursor: SampleCursor, _ number: Int) throws(MediaError) -> SampleBuffer {
    let track = cursor.track
    guard track.asset === asset else {
      throw MediaError(.invalidArgument, "the start cursor of the request belongs to another asset")
    }
    let packet = try fetchers.withLock { (fetchers) throws(MediaError) in
      let fetcher: SampleFetcher
      if let open = fetchers[track.index] {
        fetcher = open
      } else {
        fetcher = try SampleFetcher(track, cursor.index)
      }
      fetchers[track.index] = fetcher
      return try fetcher.packet(number)
    }
    let format = track.formatDescriptions[packet.sampleDescriptionIndex]
    return SampleBuffer(.packet(packet), format: format, timeBase: format.track.timeBase)
  }
}
