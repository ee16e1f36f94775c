import CAVFormat
import RespoolPlugin

/// Packets and errors of libavformat that the demuxer does not pass on.
extension AVFormatDemuxer {
  /// Returns `true` for the cover image of a tag: libavformat returns it as a packet, but it is not part of the stream.
  func isCover(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    let index = Int(packet.pointee.stream_index)
    return media.tracks.indices.contains(index)
      && media.tracks[index].disposition.contains(.attachedPicture)
  }

  /// Returns `true` for a packet of which the file has only the start, in formats that store the sizes of packets.
  func isCutOff(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
      && ["flv", "ivf", "tta", "wv"].contains(context.name)
      && avio_feof(context.pointer.pointee.pb) != 0
  }

  /// Returns `true` for a packet of which something can be decoded, although its end is missing.
  func isPartOfFrame(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    let parameters = context.stream(Int(packet.pointee.stream_index))?.pointee.codecpar
    return parameters?.pointee.codec_type == AVMEDIA_TYPE_VIDEO && packet.pointee.size > 0
  }

  /// Returns `true` for the last frame of a FLAC file that was cut off, of which nothing can be decoded.
  ///
  /// `packet` is one with damage.
  func isCutFrame(_ packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Bool {
    guard context.name == "flac", media.endsEarly, readAhead.isEmpty, !isCover(packet) else {
      return false
    }
    guard let following = try next() else { return true }
    readAhead.append(following)
    return false
  }

  /// Returns `true` for an AAC packet of a transport stream without its ADTS header: no muxer can store it.
  func lacksADTSHeader(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard context.name == "mpegts", let data = packet.pointee.data, packet.pointee.size > 1,
      let parameters = context.stream(Int(packet.pointee.stream_index))?.pointee.codecpar?.pointee,
      parameters.codec_id == AV_CODEC_ID_AAC, parameters.extradata_size == 0
    else { return false }
    return data[0] != 0xFF || data[1] & 0xF6 != 0xF0
  }

  /// `true` if the WavPack demuxer has reached the tag after the last block, which it reports as damage.
  var hasReachedTrailingTag: Bool {
    guard context.name == "wv", let size = context.input.source.size else { return false }
    // The demuxer has read the 32 bytes of a block header, or has searched for one further on.
    let start = max(0, min(context.input.offset, size) - 32)
    guard let bytes = try? context.input.source.read(at: start, count: 64) else { return false }
    return bytes.starts(with: Array("TAG".utf8)) || bytes.starts(with: Array("APETAGEX".utf8))
  }
}
