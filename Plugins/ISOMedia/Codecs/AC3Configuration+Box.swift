import RespoolPlugin

extension AC3Configuration {
  /// The bytes of the `dac3` or `dec3` box.
  var box: [UInt8] {
    var writer = BoxWriter()
    let low: UInt32 = hasLowFrequency ? 1 : 0
    if isEnhanced {
      writer.box("dec3") {
        $0.u16(UInt16(min(dataRate, 8191) << 3))
        let word =
          sampleRateCode << 22 | streamID << 17 | streamMode << 12 | channelMode << 9 | low << 8
        $0.raw([UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)])
      }
    } else {
      writer.box("dac3") {
        let word =
          sampleRateCode << 22 | streamID << 17 | streamMode << 14 | channelMode << 11
          | low << 10 | (bitRateCode & 31) << 5
        $0.raw([UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)])
      }
    }
    return writer.bytes
  }
}
