import CLinux
import Glibc
import Synchronization

/// Standard output with checked failures: a result that was not written is an error.
///
/// All results are written here or with `print`. ``endProcessOnFailure()`` checks both when the process
/// ends, so that a full disk is an error in every command.
package enum StandardOutput {
  /// Error number of the first failed write; 0 if there was none.
  private static let firstFailure = Mutex<Int32>(0)

  /// Writes all bytes without buffering.
  ///
  /// - Returns: 0, or the error number (`EPIPE` if the reader has closed its end). The failure is stored
  ///   until the end of the process.
  @discardableResult
  package static func write(_ bytes: some Collection<UInt8>) -> Int32 {
    // The bytes that `print` has put into the C library's buffer come first.
    var failure = linux_flush_output()
    if failure == 0 { failure = Array(bytes).withUnsafeBytes { writeAll($0, to: 1) } }
    if failure != 0 { firstFailure.withLock { if $0 == 0 { $0 = failure } } }
    return failure
  }

  /// Makes the process end with status 1 and a message if standard output could not be written.
  ///
  /// This applies however the process ends. A closed pipe is not a failure: the reader has seen enough.
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
