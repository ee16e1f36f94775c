import RespoolPlugin

/// The first frame of a file, which decodes to silence and has the Xing header with LAME's extension.
///
/// Mp3 Info Tag revision 1 (gabriel.mp3-tech.org/mp3infotag.html), and what LAME and libavformat make of it.
struct InfoFrame {
  /// Number of audio samples by which every decoder delays the output; the tag does not count them.
  static let decoderDelay: Int64 = 528 + 1
  /// Maximum of both lengths, which have 12 bits.
  static let lengthLimit: Int64 = 4095
  /// Sizes of Xing's header and of LAME's extension.
  private static let (headerSize, extensionSize) = (120, 36)

  /// The header of the frame.
  private let head: [UInt8]
  private let first: MPEGAudioHeader
  /// Bytes of the frame.
  let size: Int
  /// Offset of Xing's header.
  private let start: Int

  /// Creates the frame for a stream that starts with `head`.
  ///
  /// It has the bit rate of the first frame, or of LAME if the bit rate varies, or the next one at which the tag fits.
  /// `nil` if none does.
  init?(_ head: [UInt8], isVariable: Bool = false) {
    guard let first = MPEGAudioHeader(head) else { return nil }
    self.first = first
    start = MPEGAudioHeader.byteCount + first.sideInformationSize
    let needed = start + Self.headerSize + Self.extensionSize
    // 128 and 64 kbit/s.
    let usual = first.version == .mpeg1 ? 9 : 8
    for code in (isVariable ? usual : first.bitRateCode)...14 {
      // Without checksum and padding.
      let bytes = [head[0], head[1] | 1, UInt8(code) << 4 | head[2] & 0x0C, head[3]]
      if let header = MPEGAudioHeader(bytes), header.frameLength >= needed {
        (self.head, size) = (bytes, header.frameLength)
        return
      }
    }
    return nil
  }

  /// Values that are known after the last frame.
  struct Content {
    var index = FrameIndex()
    var checksum = Checksum()
    /// Lowest and highest bit rate of a frame, in bits per second.
    var bitRates: ClosedRange<Int>?
    /// Hidden audio samples at the start, with the delay of the decoder.
    ///
    /// `nil`: all are played.
    var hidden: Int64?
    /// Hidden audio samples at the end, of those that a decoder returns.
    var padding: Int64 = 0

    /// The checksum with another frame before the others.
    var checksumAfterSilence = Checksum()

    mutating func add(_ frame: some Collection<UInt8>, _ header: MPEGAudioHeader) {
      index.add(size: frame.count)
      checksum.add(frame)
      if hidden == nil { checksumAfterSilence.add(frame) }
      let rate = header.bitRate
      bitRates = bitRates.map { min($0.lowerBound, rate)...max($0.upperBound, rate) } ?? rate...rate
    }
  }

  /// Returns the frame.
  ///
  /// `isComplete` is `false` if the numbers of frames and bytes are unknown, as in a stream.
  func bytes(_ content: Content, isComplete: Bool) -> [UInt8] {
    var bytes = head + [UInt8](repeating: 0, count: start - head.count)
    let isConstant = content.bitRates.map { $0.lowerBound == $0.upperBound } ?? true
    let total = content.index.byteCount + Int64(size)
    bytes += Array((isConstant ? "Info" : "Xing").utf8)
    // Frames, bytes, table and quality; the quality is unknown.
    bytes += UInt32(isComplete ? 0x0F : 0x08).bigEndianBytes
    if isComplete {
      bytes += UInt32(clamping: content.index.count).bigEndianBytes
      bytes += UInt32(clamping: total).bigEndianBytes
      bytes += content.index.table(head: Int64(size))
    }
    bytes += UInt32(0).bigEndianBytes
    if let hidden = content.hidden {
      addExtension(to: &bytes, content, hidden: hidden, isConstant: isConstant, total: total)
    }
    return bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }

  private func addExtension(
    to bytes: inout [UInt8], _ content: Content, hidden: Int64, isConstant: Bool, total: Int64
  ) {
    let delay = min(max(0, hidden - Self.decoderDelay), Self.lengthLimit)
    let padding = min(content.padding + Self.decoderDelay, Self.lengthLimit)
    // Players believe the lengths only after the name of LAME with a version.
    bytes += Array("LAME3.100".utf8)
    // Revision 0; method: 1 constant, 0 unknown.
    bytes.append(isConstant ? 1 : 0)
    // Low-pass filter, peak and both gains are unknown; no flags.
    bytes += [UInt8](repeating: 0, count: 1 + 4 + 2 + 2 + 1)
    bytes.append(UInt8(clamping: (content.bitRates?.lowerBound ?? 0) / 1000))
    let lengths = delay << 12 | padding
    bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: lengths >> $0) }
    let mode: UInt8 =
      switch first.channelMode {
      case 0: 1
      case 1: 3
      case 2: 2
      default: 0
      }
    let rate: UInt8 =
      first.sampleRate <= 32000
      ? 0 : first.sampleRate == 44100 ? 1 : first.sampleRate == 48000 ? 2 : 3
    bytes.append(rate << 6 | mode << 2)
    // No gain applied; surround and preset unknown.
    bytes += [0, 0, 0]
    bytes += UInt32(clamping: total).bigEndianBytes
    bytes += content.checksum.value.bigEndianBytes
    var checksum = Checksum()
    checksum.add(bytes)
    bytes += checksum.value.bigEndianBytes
  }
}

extension MPEGAudioHeader {
  /// Code of the bit rate in the header.
  fileprivate var bitRateCode: Int {
    (Self.bitRates(version, layer: layer).firstIndex(of: bitRate / 1000) ?? 0) + 1
  }
}
