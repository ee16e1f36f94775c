import CAVFormat
import RespoolPlugin

/// The frame order of one track whose container stores only the decoding order.
struct FrameOrdering {
  let parser: PictureParser
  var order: PictureOrder

  /// Returns the ordering for each track that needs it, by track index.
  ///
  /// AVI numbers its frames, and elementary streams have no times: libavformat derives decoding times for
  /// both.
  static func all(of context: FormatContext) -> [Int: FrameOrdering] {
    guard context.storesDecodingOrderOnly else { return [:] }
    var result: [Int: FrameOrdering] = [:]
    for index in 0..<context.streamCount {
      guard let stream = context.stream(index)?.pointee, let parameters = stream.codecpar,
        stream.disposition & AV_DISPOSITION_ATTACHED_PIC == 0,
        let parser = PictureParser(parameters)
      else { continue }
      result[index] = FrameOrdering(
        parser: parser, order: PictureOrder(depth: Int(parameters.pointee.video_delay)))
    }
    return result
  }
}
