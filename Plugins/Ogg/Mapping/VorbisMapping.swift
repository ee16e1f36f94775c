import RespoolPlugin

/// Vorbis in Ogg (Vorbis I specification, appendix A).
struct VorbisMapping: OggMapping {
  private static let signature = Array("vorbis".utf8)
  private static let commentPacket: UInt8 = 3

  let timeBase: Rational
  private let headers: [[UInt8]]
  private var modes: VorbisModes
  private var isFirst = true

  init(_ track: TrackDescription) throws(MediaError) {
    let headers = try XiphLacing.headers(track.extradata)
    guard headers.count >= 3, headers[0].count >= 30,
      let modes = XiphLacing.join(headers).flatMap({ VorbisModes($0) })
    else {
      throw MediaError(.malformed, "the headers of the Vorbis track are damaged")
    }
    var reader = ByteReader(headers[0])
    try reader.skip(12)
    let rate = try reader.little(UInt32.self)
    guard rate > 0 else {
      throw MediaError(.malformed, "the Vorbis track states a sample rate of 0")
    }
    self.headers = headers
    self.modes = modes
    timeBase = Rational(1, Int32(clamping: rate))
  }

  // FFmpeg takes the start of the audio from the first page, but not if that page is also the last one.
  var hasShortFirstPage: Bool { true }

  func headers(_ comments: VorbisComments) -> [[UInt8]] {
    var comments = comments
    let old = headers[1].dropFirst(1 + Self.signature.count)
    // The vendor is the encoder of the audio, which stays the same.
    if let old = try? VorbisComments(old) { comments.vendor = old.vendor }
    // The framing bit follows the comments (5.2.1).
    return [
      headers[0], [Self.commentPacket] + Self.signature + comments.bytes + [1], headers[2],
    ]
  }

  mutating func duration(of bytes: UnsafeRawBufferPointer) throws(MediaError) -> Int64 {
    guard let first = bytes.first, first & 1 == 0 else {
      throw MediaError(.malformed, "a packet of \(bytes.count) bytes is not audio of Vorbis")
    }
    let length = modes.length(of: Array(bytes.prefix(2))[...])
    // The first packet gives no audio (4.3.8).
    defer { isFirst = false }
    return isFirst ? 0 : Int64(length)
  }
}
