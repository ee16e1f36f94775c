import RespoolMedia

extension Packet {
  /// Returns a packet of MP3 whose last frame is complete; `nil` if there is less than the header of a frame.
  ///
  /// The end of the last frame is missing if a file was cut off. Decoders take such a frame, muxers do not. Zeros take
  /// the place of what is missing.
  func completingMP3() -> Packet? {
    guard case .bytes(let buffer) = payload else { return self }
    return buffer.withBytes { bytes -> Packet? in
      var start = 0
      while start < bytes.count {
        guard bytes.count - start >= MPEGAudioHeader.byteCount else {
          return start == 0 ? nil : with(Array(bytes[..<start]))
        }
        guard let header = MPEGAudioHeader(bytes[start...]), header.frameLength > 0 else {
          return self
        }
        start += header.frameLength
      }
      guard start > bytes.count else { return self }
      return with(Array(bytes) + [UInt8](repeating: 0, count: start - bytes.count))
    }
  }

  private func with(_ bytes: [UInt8]) -> Packet {
    var packet = self
    packet.payload = .bytes(MediaBuffer(bytes))
    return packet
  }
}
