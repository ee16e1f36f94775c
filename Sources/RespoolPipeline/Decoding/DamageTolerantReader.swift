package import RespoolMedia

/// Reads packets over damage in a file.
package struct DamageTolerantReader {
  private let demuxer: DemuxerInstance
  private var failures = 0

  /// Errors in a row after which a file counts as ended.
  private static let mostFailures = 16

  package init(_ demuxer: DemuxerInstance) { self.demuxer = demuxer }

  /// Returns the next packet, or nil at the end and after 16 errors in a row.
  ///
  /// `note` gets each error of the file. An error of the storage, a plugin or of cancelling is thrown.
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
