import RespoolPlugin

/// `dOps`: how an Opus track is decoded ("Encapsulation of Opus in ISO Base Media File Format" 4.3.2).
struct OpusSpecificBox: Box {
  static let type: FourCC = "dOps"
  var channelCount: UInt8
  /// At 48 kHz.
  var preSkip: UInt16
  /// Of the source; only a hint.
  var inputSampleRate: UInt32
  /// 8.8 dB.
  var outputGain: Int16
  var mappingFamily: UInt8
  /// Streams, coupled streams and one byte to each channel; empty for family 0.
  var mapping: [UInt8]

  init(from reader: inout ByteReader) throws(MediaError) {
    try reader.skip(1)
    channelCount = try reader.u8()
    preSkip = try reader.big()
    inputSampleRate = try reader.big()
    outputGain = try reader.big()
    mappingFamily = try reader.u8()
    mapping = mappingFamily == 0 ? [] : Array(try reader.take(2 + Int(channelCount)))
  }

  func write(to writer: inout BoxWriter) {
    writer.u8(0)
    writer.u8(channelCount)
    writer.u16(preSkip)
    writer.u32(inputSampleRate)
    writer.i16(outputGain)
    writer.u8(mappingFamily)
    writer.raw(mapping)
  }

  /// Reads the header of Opus in Ogg (RFC 7845 5.1), which FFmpeg uses as extradata.
  init(opusHead bytes: [UInt8]) throws(MediaError) {
    var reader = ByteReader(bytes)
    guard try reader.text(8) == "OpusHead" else {
      throw MediaError(.malformed, "the configuration of an Opus track is not an OpusHead")
    }
    try reader.skip(1)
    channelCount = try reader.u8()
    preSkip = try reader.little()
    inputSampleRate = try reader.little()
    outputGain = try reader.little()
    mappingFamily = try reader.u8()
    mapping = mappingFamily == 0 ? [] : Array(try reader.take(2 + Int(channelCount)))
  }

  /// The same as the header of Opus in Ogg.
  var opusHead: [UInt8] {
    var head = Array("OpusHead".utf8)
    head += [1, channelCount, UInt8(preSkip & 0xFF), UInt8(preSkip >> 8)]
    withUnsafeBytes(of: inputSampleRate.littleEndian) { head += $0 }
    withUnsafeBytes(of: outputGain.littleEndian) { head += $0 }
    return head + [mappingFamily] + mapping
  }
}
