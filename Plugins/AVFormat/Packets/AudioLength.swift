import CAVFormat
import RespoolPlugin

/// The number of audio samples that a packet decodes to, computed without decoding.
enum AudioLength {
  /// Returns the number of samples.
  ///
  /// 0 if unknown.
  static func samples(
    of packet: UnsafePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
  ) -> Int64 {
    guard parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { return 0 }
    if parameters.pointee.codec_id == AV_CODEC_ID_OPUS {
      guard let data = packet.pointee.data, packet.pointee.size > 0 else { return 0 }
      return opus(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
    }
    return Int64(max(0, av_get_audio_frame_duration2(parameters, packet.pointee.size)))
  }

  /// Returns the pre-skip of an Opus track: samples at its start that are not played (RFC 7845 5.1).
  ///
  /// libavformat leaves their removal to the decoder.
  static func preSkip(_ parameters: AVCodecParameters) -> Int64 {
    guard parameters.codec_id == AV_CODEC_ID_OPUS, let head = parameters.extradata,
      parameters.extradata_size >= 19
    else { return 0 }
    return Int64(head[10]) | Int64(head[11]) << 8
  }

  /// Reads the frame length and the number of frames from the first byte (RFC 6716 3.1).
  private static func opus(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
    let configuration = Int(bytes[0] >> 3)
    let frame: Int64 =
      switch configuration {
      case 0..<12: [480, 960, 1920, 2880][configuration % 4]
      case 12..<16: [480, 960][configuration % 2]
      default: [120, 240, 480, 960][configuration % 4]
      }
    switch bytes[0] & 3 {
    case 0: return frame
    case 1, 2: return frame * 2
    default: return bytes.count > 1 ? frame * Int64(bytes[1] & 63) : 0
    }
  }
}
