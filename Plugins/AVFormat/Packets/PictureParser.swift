import CAVFormat
import RespoolPlugin

/// A parser of the display order of coded frames.
///
/// H.264 and HEVC number their pictures (picture order count, ITU-T H.264 8.2.1, H.265 8.3.1) and restart at
/// every IDR picture. In MPEG-1, 2 and 4, a B picture is shown immediately. Any other picture is shown when
/// the next one that is not a B picture arrives (ISO/IEC 13818-2 6.1.1.11, 14496-2 7.7).
final class PictureParser {
  private let parser: UnsafeMutablePointer<AVCodecParserContext>
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let codec: AVCodecID
  /// Size in bytes of the length field before each NAL unit.
  ///
  /// `nil` if units begin with start codes.
  private let lengthSize: Int?
  /// Number of restarts of the picture order count, or number of frames that are not B pictures.
  private var count: Int64 = 0
  private var last: Int64 = 0

  /// Returns `nil` for codecs whose frames are shown in decoding order or whose order is not coded.
  init?(_ parameters: UnsafePointer<AVCodecParameters>) {
    codec = parameters.pointee.codec_id
    switch codec {
    case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG4, AV_CODEC_ID_MPEG1VIDEO,
      AV_CODEC_ID_MPEG2VIDEO:
      break
    default: return nil
    }
    guard let context = avcodec_alloc_context3(nil) else { return nil }
    guard avcodec_parameters_to_context(context, parameters) >= 0,
      let parser = av_parser_init(Int32(codec.rawValue))
    else {
      var unused: UnsafeMutablePointer<AVCodecContext>? = context
      avcodec_free_context(&unused)
      return nil
    }
    parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
    self.parser = parser
    self.context = context
    let record = UnsafeBufferPointer(
      start: parameters.pointee.extradata, count: Int(max(0, parameters.pointee.extradata_size)))
    lengthSize = ParameterSets.lengthSize(
      codec: codec == AV_CODEC_ID_H264 ? "h264" : codec == AV_CODEC_ID_HEVC ? "hevc" : "",
      record: Array(record))
  }

  deinit {
    av_parser_close(parser)
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Returns the position of the packet's frame in display order.
  func displayPosition(of packet: UnsafeMutablePointer<AVPacket>) -> PictureOrder.Position {
    var output: UnsafeMutablePointer<UInt8>?
    var size: Int32 = 0
    parser.pointee.output_picture_number = .min
    parser.pointee.pict_type = Int32(AV_PICTURE_TYPE_NONE.rawValue)
    _ = av_parser_parse2(
      parser, context, &output, &size, packet.pointee.data, packet.pointee.size, ffmpeg_no_time,
      ffmpeg_no_time, -1)
    guard codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC else {
      if parser.pointee.pict_type == Int32(AV_PICTURE_TYPE_B.rawValue) {
        return PictureOrder.Position(key: 2 * count - 1, floor: 2 * count)
      }
      count += 1
      return PictureOrder.Position(key: 2 * count, floor: 2 * count)
    }
    let bytes = UnsafeRawBufferPointer(
      start: packet.pointee.data, count: Int(max(0, packet.pointee.size)))
    if beginsNumbering(bytes) { count += 1 }
    let floor = count << 32 + Int64(Int32.min)
    let number = parser.pointee.output_picture_number
    // A packet without a readable picture is shown with the one before.
    if number > .min { last = count << 32 + Int64(number) } else { last = max(last, floor) }
    return PictureOrder.Position(key: last, floor: floor)
  }

  /// Returns `true` if a packet has an IDR picture, or a BLA picture in HEVC: all earlier frames are shown
  /// before it.
  private func beginsNumbering(_ bytes: UnsafeRawBufferPointer) -> Bool {
    units(bytes).contains { index in
      codec == AV_CODEC_ID_H264
        ? bytes[index] & 31 == 5 : (16...20).contains((bytes[index] >> 1) & 63)
    }
  }

  /// Returns the positions at which the NAL units begin.
  private func units(_ bytes: UnsafeRawBufferPointer) -> [Int] {
    guard let lengthSize else { return AnnexB.units(in: bytes).map(\.lowerBound) }
    var (result, index): ([Int], Int) = ([], 0)
    while index + lengthSize < bytes.count {
      let length = bytes[index..<index + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      index += lengthSize
      guard length > 0 else { continue }
      result.append(index)
      guard length < bytes.count - index else { break }
      index += length
    }
    return result
  }
}
