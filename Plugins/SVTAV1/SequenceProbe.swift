import CSVTAV1
import RespoolPlugin

/// An encoder of one gray frame, whose sequence header all frames with the same settings have.
///
/// The library can return a sequence header before the first frame, but not the one that it writes (1.4): it chooses
/// coding tools later.
enum SequenceProbe {
  /// Returns the configuration of streams with given settings.
  static func configuration(_ settings: EncoderSettings, tick: Rational) throws(MediaError)
    -> AV1Configuration
  {
    let library = try Library(settings, tick: tick)
    try library.start()
    let gray = 1 << (library.format.bitDepth - 1)
    let bytes = library.format.bitDepth > 8 ? [UInt8(0), UInt8(gray >> 8)] : [UInt8(gray)]
    // Every row is this one: the distance of rows is 0.
    let row = MediaBuffer((0..<settings.track.width).flatMap { _ in bytes })
    try withExtendedLifetime(row) { () throws(MediaError) in
      guard let base = row.bytes.baseAddress else { return }
      var frame = csvtav1_frame()
      for plane in 0..<Int32(3) { csvtav1_set_plane(&frame, plane, base, 0) }
      try library.check(csvtav1_send(library.pointer, &frame), "SVT-AV1 could not take a frame")
    }
    try library.check(csvtav1_send_end(library.pointer), "SVT-AV1 could not take the end")
    while true {
      var packet = csvtav1_packet()
      try library.check(
        csvtav1_receive(library.pointer, &packet), "SVT-AV1 could not encode a frame")
      defer { csvtav1_release(library.pointer) }
      let unit = UnsafeRawBufferPointer(start: packet.bytes.data, count: packet.bytes.size)
      if let configuration = try AV1Configuration(units: unit) { return configuration }
      guard packet.is_last == 0 else {
        throw MediaError(.pluginFailure, "SVT-AV1 returned no sequence header")
      }
    }
  }
}
