package import RespoolMedia
import Synchronization

/// Number of files of this process, for their names: two tracks of a job may have the same number.
private let files = Atomic(0)

/// Two passes of libraries that pass their statistics in a file: what crosses the boundary is its path.
extension EncoderSettings {
  /// Returns the path of the file that a library writes in the first pass; throws `unsupported` if there can be none.
  package func statisticsPath(of library: String) throws(MediaError) -> String {
    guard let path = job.scratchPath else {
      throw MediaError(
        .unsupported,
        "\(library) passes the statistics of two passes in a file, and this process can make none")
    }
    return "\(path)\(library)-\(files.wrappingAdd(1, ordering: .relaxed).newValue)"
  }
}

extension Packet {
  /// Creates the packet of a first pass that has the path of its statistics.
  package init(statisticsAt path: String) {
    self.init(
      track: 0, pts: 0, dts: 0, duration: 0, flags: .key,
      payload: .bytes(MediaBuffer(Array(path.utf8))))
  }
}
