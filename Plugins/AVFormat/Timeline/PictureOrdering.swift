import CAVFormat
import RespoolPlugin

/// How the pictures of one track get times, where the container tells only the order of decoding.
struct PictureOrdering {
  let parser: PictureParser
  var order: PictureOrder

  /// For each track that needs it, by its index.
  ///
  /// AVI counts what it stores, and elementary streams tell nothing: the times that libavformat makes for both are
  /// those of decoding.
  static func all(of context: FormatContext) -> [Int: PictureOrdering] {
    guard context.tellsDecodingOrderOnly else { return [:] }
    var result: [Int: PictureOrdering] = [:]
    for index in 0..<context.streamCount {
      guard let stream = context.stream(index)?.pointee, let parameters = stream.codecpar,
        stream.disposition & AV_DISPOSITION_ATTACHED_PIC == 0,
        let parser = PictureParser(parameters)
      else { continue }
      result[index] = PictureOrdering(
        parser: parser, order: PictureOrder(depth: Int(parameters.pointee.video_delay)))
    }
    return result
  }
}
