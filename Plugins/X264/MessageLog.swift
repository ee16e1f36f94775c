import CX264
import RespoolPlugin
import Synchronization

/// A log that keeps x264's warnings and errors for error messages, and passes all messages to the host's log.
final class MessageLog: Sendable {
  private let complaints = Mutex<[String]>([])

  /// Returns x264's warnings and errors since the last call.
  func takeComplaints() -> [String] {
    complaints.withLock { list in
      defer { list = [] }
      return list
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

  /// A log that drops all messages.
  static var silent: cx264_log { cx264_log(write: { _, _, _ in }, context: nil) }

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

extension [String] {
  /// The messages as the cause of an error; `nil` if there are none.
  var joinedSentence: String? { isEmpty ? nil : joined(separator: "; ") }
}
