package import RespoolMedia

/// Reads packets and continues after damage in a file.
package struct DamageTolerantReader {
  private let demuxer: DemuxerInstance
  private var failures = 0

  /// Number of consecutive errors after which the file counts as ended.
  private static let mostFailures = 16

  package init(_ demuxer: DemuxerInstance) { self.demuxer = demuxer }

  /// Returns the next packet, or `nil` at the end and after 16 consecutive errors.
  ///
  /// Calls `note` with each `malformed` or `limitExceeded` error. Throws all other errors, such as those of
  /// storage, of plugins and of cancellation.
  package mutating func next(note: (MediaError) -> Void) throws(MediaError) -> Packet? {
    while failures < Self.mostFailures {
      do throws(MediaError) {
        let packet = try demuxer.read()
        failures = 0
        return packet
      } catch {
        guard error.code == .malformed || error.code == .limitExceeded else { throw error }
        note(error)
        failures += 1
      }
    }
    return nil
  }
}
