import CX264
import RespoolPlugin
import Synchronization

/// A log that keeps x264's warnings and errors for error messages, and passes all messages to the host's log.
final class MessageLog: Sendable {
  private let complaints = Mutex<[String]>([])

  /// Returns x264's warnings and errors since the last call, joined.
  ///
  /// `nil` if there were none.
  func takeComplaints() -> String? {
    complaints.withLock { list in
      defer { list = [] }
      return list.isEmpty ? nil : list.joined(separator: "; ")
    }
  }

  func write(_ text: String, level: Int32) {
    Log.debug("x264: \(text)")
    guard level <= X264_LOG_WARNING else { return }
    complaints.withLock { list in
      // x264 may warn about every frame: the first and the latest messages are enough.
      if list.count == 8 { list.remove(at: 4) }
      list.append(text)
    }
  }

  /// The C form of the log, which does not retain this object.
  var sink: cx264_log {
    cx264_log(
      write: { context, level, message in
        guard let context else { return }
        let log = Unmanaged<MessageLog>.fromOpaque(context).takeUnretainedValue()
        var text = String(cString: message)
        while text.last?.isNewline == true { text.removeLast() }
        log.write(text, level: level)
      },
      context: Unmanaged.passUnretained(self).toOpaque())
  }
}
