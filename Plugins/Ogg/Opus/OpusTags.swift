import RespoolPlugin

/// The comment header of Opus (RFC 7845 5.2).
enum OpusTags {
  static let signature: [UInt8] = Array("OpusTags".utf8)

  static func parse(_ packet: some Collection<UInt8>) throws(MediaError) -> VorbisComments {
    guard packet.starts(with: signature) else {
      throw MediaError(.malformed, "the second packet is not OpusTags")
    }
    return try VorbisComments(packet.dropFirst(signature.count))
  }

  static func bytes(_ comments: VorbisComments) -> [UInt8] { signature + comments.bytes }
}
