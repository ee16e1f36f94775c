package import CRespool

extension MediaError {
  /// The error that a call across the plugin boundary ended with.
  package init(status: rsp_status, record: borrowing rsp_error) {
    let message = record.messageText
    let path = record.pathText
    self.init(
      Code(rawValue: status), message.isEmpty ? "failed without a message" : message,
      track: record.track >= 0 ? Int(record.track) : nil,
      offset: record.offset >= 0 ? record.offset : nil, path: path.isEmpty ? nil : path,
      detail: Int(record.facts) & RSP_ERROR_ENDS_EARLY != 0 ? .endsEarly : nil)
  }

  /// Fills in the record that the caller across the boundary lent, and returns the status.
  package func report(to record: UnsafeMutablePointer<rsp_error>?) -> rsp_status {
    let status = code.rawValue < 0 ? code.rawValue : rsp_status(RSP_ERROR_INTERNAL)
    guard let record else { return status }
    record.pointee.status = status
    record.pointee.offset = offset ?? -1
    record.pointee.track = Int32(clamping: track ?? -1)
    record.pointee.facts = detail == .endsEarly ? UInt32(RSP_ERROR_ENDS_EARLY) : 0
    let text = cause.map { "\(message): \($0)" } ?? message
    withUnsafeMutableBytes(of: &record.pointee.message) { copy(text, to: $0) }
    withUnsafeMutableBytes(of: &record.pointee.path) { copy(path ?? "", to: $0) }
    return status
  }
}

extension rsp_error {
  /// An empty record, as a caller hands it over.
  package static var empty: rsp_error {
    var record = rsp_error()
    record.struct_size = structSize(rsp_error.self)
    record.offset = -1
    record.track = -1
    return record
  }

  var messageText: String {
    var copy = message
    return withUnsafeBytes(of: &copy) { text($0) }
  }

  var pathText: String {
    var copy = path
    return withUnsafeBytes(of: &copy) { text($0) }
  }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

/// Copies as much of the text as fits with its ending zero, never half a character.
private func copy(_ text: String, to bytes: UnsafeMutableRawBufferPointer) {
  var utf8 = Array(text.utf8)
  if utf8.count >= bytes.count {
    var end = bytes.count - 1
    while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
    utf8.removeSubrange(end...)
  }
  bytes.copyBytes(from: utf8)
  bytes[utf8.count] = 0
}
