import CFLAC
import RespoolPlugin

/// A decoder for FLAC (RFC 9639) with libFLAC, one frame to a packet.
final class FLACDecoder: Decoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .decoder, name: "flac", longName: "FLAC by libFLAC")
    about.tier = .preferred
    about.aliases = ["libflac"]
    about.codecs = ["flac"]
    about.channelCounts = 1...8
    about.options = [
      OptionSchema(
        "strict", .bool, default: "false",
        help: "Report damage that is otherwise replaced by silence, and audio with another MD5.")
    ]
    return about
  }()

  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  private let input: UnsafeMutablePointer<cflac_input>
  private let output: DecoderOutput
  private let timeBase: Rational
  private let isStrict: Bool
  private var audioHash: AudioHash?
  private var waiting: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    let track = settings.track
    guard track.codec == "flac" else {
      throw MediaError(.unsupported, "libFLAC decodes flac, not \(track.codec)")
    }
    let info = track.extradata.isEmpty ? nil : try FLACStreamInfo(track.extradata)
    guard let decoder = FLAC__stream_decoder_new() else {
      throw MediaError(.limitExceeded, "there is no memory for a decoder of FLAC")
    }
    output = DecoderOutput(track, info)
    input = .allocate(capacity: 1)
    input.initialize(to: output.input)
    self.decoder = decoder
    timeBase =
      track.timeBase.isPositive
      ? track.timeBase : Rational(1, Int32(clamping: max(1, track.sampleRate)))
    isStrict = settings[option: "strict"] == "true"
    audioHash = isStrict ? info.flatMap { AudioHash($0) } : nil
    output.isHashed = audioHash != nil
    let status = cflac_decoder_open(decoder, input)
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
      throw MediaError(
        .pluginFailure, "libFLAC could not be opened", cause: "status \(status.rawValue)")
    }
    try info.map(readInformation)
  }

  deinit {
    // libFLAC calls no callbacks that decode while it deletes a decoder.
    FLAC__stream_decoder_delete(decoder)
    input.deallocate()
  }

  /// Passes STREAMINFO to libFLAC, for frames that do not state their depth or sample rate.
  private func readInformation(_ info: FLACStreamInfo) throws(MediaError) {
    let head = Array("fLaC".utf8) + [0x80, 0, 0, UInt8(FLACStreamInfo.byteCount)] + info.bytes
    let isRead = head.withUnsafeBufferPointer { bytes in
      (input.pointee.bytes, input.pointee.count) = (bytes.baseAddress, bytes.count)
      return FLAC__stream_decoder_process_until_end_of_metadata(decoder)
    }
    guard isRead != 0, input.pointee.error == 0 else {
      throw MediaError(.malformed, "libFLAC does not accept the STREAMINFO of the track")
    }
  }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let packet else {
      isDraining = true
      try compareHash()
      return .accepted
    }
    guard let buffer = packet.buffer else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    guard buffer.count > 0 else { return .accepted }
    // Each packet has a whole frame. Without its rest, damage does not reach the next one.
    FLAC__stream_decoder_flush(decoder)
    output.frame = nil
    buffer.withBytes { bytes in
      input.pointee.bytes = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      (input.pointee.count, input.pointee.error) = (bytes.count, 0)
      FLAC__stream_decoder_process_single(decoder)
      (input.pointee.bytes, input.pointee.count) = (nil, 0)
    }
    let damage = input.pointee.error > 0 ? Self.damage(input.pointee.error - 1) : nil
    var frame: Frame
    if let decoded = output.frame.take(), damage == nil {
      frame = decoded
    } else {
      audioHash = nil
      let silence = isStrict ? nil : output.silence(for: buffer)
      guard let silence else {
        throw MediaError(
          .malformed, "a frame of FLAC in \(buffer.count.counting("byte")) is damaged",
          cause: damage)
      }
      frame = silence
    }
    audioHash?.update(output.packed, sampleCount: frame.sampleCount)
    frame.pts = packet.pts
    frame.duration = Rational(1, Int32(clamping: frame.sampleRate)).convert(
      Int64(frame.sampleCount), to: timeBase)
    if packet.flags.contains(.corrupt) { frame.flags.insert(.corrupt) }
    waiting = frame
    return .accepted
  }

  /// Throws if all audio of the stream was decoded and STREAMINFO states another MD5.
  private func compareHash() throws(MediaError) {
    guard var hash = audioHash.take(), !hash.matches() else { return }
    throw MediaError(.malformed, "the MD5 of the audio is not the one that STREAMINFO states")
  }

  private static func damage(_ status: Int32) -> String {
    switch FLAC__StreamDecoderErrorStatus(rawValue: UInt32(bitPattern: status)) {
    case FLAC__STREAM_DECODER_ERROR_STATUS_LOST_SYNC: "the sync code is missing"
    case FLAC__STREAM_DECODER_ERROR_STATUS_BAD_HEADER: "the header is damaged"
    case FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH: "the checksum does not match"
    default: "the frame cannot be decoded"
    }
  }

  func receive() throws(MediaError) -> Output<Frame> {
    if let frame = waiting.take() { return .value(frame) }
    return isDraining ? .end : .needsInput
  }

  func flush() {
    waiting = nil
    isDraining = false
    audioHash = nil
    FLAC__stream_decoder_flush(decoder)
  }
}
