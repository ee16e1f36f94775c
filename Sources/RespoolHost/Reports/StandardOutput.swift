import CLinux
import Glibc
import Synchronization

/// Standard output, whose failures count: a result that was not written is not a result.
///
/// Everything that writes results goes through here or through `print`. ``endProcessOnFailure()`` looks at
/// both when the process ends, so that a full disk is an error in every command.
package enum StandardOutput {
  /// The first error number of a write; 0 if all went well.
  private static let firstFailure = Mutex<Int32>(0)

  /// Writes all bytes now.
  ///
  /// - Returns: 0, or the error number (`EPIPE` if the reader has closed its end). The failure is kept for
  ///   the end of the process.
  @discardableResult
  package static func write(_ bytes: some Collection<UInt8>) -> Int32 {
    // What `print` has put into the buffer of the C library comes first.
    var failure = linux_flush_output()
    if failure == 0 { failure = Array(bytes).withUnsafeBytes { writeAll($0, to: 1) } }
    if failure != 0 { firstFailure.withLock { if $0 == 0 { $0 = failure } } }
    return failure
  }

  /// Ends the process with status 1 and a message if standard output could not be written, whichever way
  /// the process ends.
  ///
  /// A closed pipe is no failure: the reader has seen what it wanted.
  package static func endProcessOnFailure() {
    atexit {
      let flushed = linux_flush_output()
      let failure = StandardOutput.firstFailure.withLock { $0 == 0 ? flushed : $0 }
      guard failure != 0, failure != EPIPE else { return }
      let text = "respool: standard output cannot be written: \(systemMessage(failure))\n"
      var bytes = Array(text.utf8)
      _ = Glibc.write(2, &bytes, bytes.count)
      _exit(1)
    }
  }
}
