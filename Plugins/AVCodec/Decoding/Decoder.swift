import CAVCodec
import FFmpeg
import RespoolPlugin

/// All audio and video decoders of libavcodec.
final class AVCodecDecoder: Decoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .decoder, name: "avcodec", longName: "Any codec that FFmpeg's libavcodec decodes")
    value.flags = .anyCodec
    value.codecs = DecodableCodecs.usual
    value.options = [
      OptionSchema(
        "strict", .bool, default: "false", help: "Report damage that is otherwise concealed.")
    ]
    return value
  }()

  static func supports(_ track: TrackDescription) -> Bool {
    DecodableCodecs.find(track.codec) != nil
  }

  private var context: CodecContext
  /// Damage that `context` reports and a decoder of its own conceals; `nil` if `context` conceals it.
  private var concealment: DamageConcealment?
  private let packet: UnsafeMutablePointer<AVPacket>
  private var audio: AudioClock
  private var pictures = VideoClock()
  private let repacker = FrameRepacker()
  /// Opens another decoder of TTA for a last frame of this many samples; `nil` for other codecs.
  private var reopenTTA: ((Int) throws(MediaError) -> CodecContext)?
  private let track: TrackDescription
  private let palette: Palette?

  init(settings: DecoderSettings) throws(MediaError) {
    let track = settings.track
    guard let codec = DecodableCodecs.find(track.codec) else {
      throw MediaError(.unsupported, "libavcodec has no decoder for \"\(track.codec)\"")
    }
    let isStrict = settings[option: "strict"] == "true"
    let reports = isStrict || DamageConcealment.isNeeded(for: track)
    let context = try Self.opened(codec, settings, reportsDamage: reports)
    if reports, !isStrict {
      concealment = DamageConcealment {
        () throws(MediaError) in try Self.opened(codec, settings, reportsDamage: false)
      }
    }
    guard let packet = av_packet_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a packet")
    }
    if track.codec == "tta" {
      reopenTTA = { (count) throws(MediaError) in
        var settings = settings
        settings.track.extradata = Self.headerOfTTA(track, lastFrame: count)
        return try Self.opened(codec, settings, reportsDamage: reports)
      }
    }
    self.track = track
    self.context = context
    self.packet = packet
    palette = Palette(track)
    let base = track.timeBase
    audio = AudioClock(
      timeBase: base.isPositive ? base : Rational(1, Int32(clamping: max(1, track.sampleRate))))
  }

  private static func opened(
    _ codec: UnsafePointer<AVCodec>, _ settings: DecoderSettings, reportsDamage: Bool
  ) throws(MediaError) -> CodecContext {
    let context = try CodecContext(codec)
    try context.configure(settings.track)
    // With one thread, TTA reports damage of a frame when it gets the frame.
    context.use(threads: settings.track.codec == "tta" ? 1 : settings.threads)
    if reportsDamage { context.reportDamage() }
    try context.open()
    return context
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = packet
    av_packet_free(&packet)
  }

  func send(_ input: Packet?) throws(MediaError) -> Feeding {
    concealment?.note(input)
    do throws(MediaError) { return try sendOnce(input) } catch {
      if let input, try decodeLastOfTTA(input) { return .accepted }
      guard try concealDamage(error) else { throw error }
      return .accepted
    }
  }

  /// Decodes a frame of TTA that is shorter than the header lets libavcodec expect; returns `false` if it is not.
  private func decodeLastOfTTA(_ input: Packet) throws(MediaError) -> Bool {
    guard let reopenTTA, let bytes = input.buffer.map({ Array($0.readOnly) }) else { return false }
    let longest = 256 * track.sampleRate / 245
    guard
      let count = TrueAudioFrame.sampleCount(
        bytes, channels: track.channelLayout.channelCount, most: longest - 1)
    else { return false }
    let previous = context
    context = try reopenTTA(count)
    do throws(MediaError) { return try sendOnce(input) == .accepted } catch {
      context = previous
      return false
    }
  }

  /// Returns the header of a file of TTA (TTA1 format specification) with one frame of `count` samples.
  private static func headerOfTTA(_ track: TrackDescription, lastFrame count: Int) -> [UInt8] {
    let lengthPlace = 14..<18
    var header = track.extradata
    guard header.count >= lengthPlace.upperBound else { return header }
    header.replaceSubrange(lengthPlace, with: UInt32(clamping: count).bigEndianBytes.reversed())
    return header
  }

  /// Decodes a damaged image again, without its damage being an error; returns `false` if that is not possible.
  private func concealDamage(_ error: MediaError) throws(MediaError) -> Bool {
    guard error.code == .malformed, let inputs = concealment?.inputs,
      let open = concealment?.takeOpening()
    else { return false }
    context = try open()
    for input in inputs { _ = try sendOnce(input) }
    return true
  }

  private func sendOnce(_ input: Packet?) throws(MediaError) -> Feeding {
    guard let input else {
      let result = avcodec_send_packet(context.pointer, nil)
      guard result >= 0 || result == ffmpeg_error_end else {
        throw .library(result, "\(context.name) cannot be drained")
      }
      return .accepted
    }
    guard let bytes = input.buffer else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    // An empty packet would drain the decoder.
    guard bytes.count > 0 else { return .accepted }
    try packet.copy(bytes)
    defer { av_packet_unref(packet) }
    packet.pointee.pts = input.pts ?? ffmpeg_no_time
    packet.pointee.dts = input.dts ?? ffmpeg_no_time
    packet.pointee.duration = input.duration
    if input.flags.contains(.key) { packet.pointee.flags |= AV_PKT_FLAG_KEY }
    if input.flags.contains(.corrupt) { packet.pointee.flags |= AV_PKT_FLAG_CORRUPT }
    // Hidden frames are dropped here: libavcodec may guess wrong times for them if earlier frames are
    // missing. For audio, the host counts the samples.
    if context.isVideo, input.flags.contains(.discard) {
      packet.pointee.flags |= AV_PKT_FLAG_DISCARD
    }
    try palette?.attach(to: packet)
    let result = avcodec_send_packet(context.pointer, packet)
    if result == ffmpeg_error_again { return .full }
    guard result >= 0 else {
      if context.name == "webp", bytes.withBytes({ Self.isAnimatedWebP($0) }) {
        throw MediaError(
          .unsupported, "an animated WebP image, which FFmpeg's libavcodec does not decode")
      }
      throw .library(
        result, "\(context.name) cannot decode a packet of \(bytes.count.counting("byte"))")
    }
    audio.sent(input)
    return .accepted
  }

  /// Returns the flag of animations of a file (RFC 9649 2.7.1).
  private static func isAnimatedWebP(_ file: UnsafeRawBufferPointer) -> Bool {
    file.count > 20 && file[12..<16].elementsEqual("VP8X".utf8) && file[20] & 2 != 0
  }

  func receive() throws(MediaError) -> Output<Frame> {
    while true {
      let output: Output<Decoded>
      do throws(MediaError) { output = try receiveOne() } catch {
        guard try concealDamage(error) else { throw error }
        continue
      }
      switch output {
      case .value(var frame):
        if concealment?.hasConcealed == true { frame.value.flags.insert(.corrupt) }
        guard !context.isVideo else {
          pictures.complete(&frame.value)
          return .value(frame.value)
        }
        if let rest = audio.complete(frame.value, skip: frame.skip) { return .value(rest) }
      case .needsInput: return .needsInput
      case .end: return .end
      }
    }
  }

  /// A frame with the number of samples that its decoder reports for trimming.
  private struct Decoded {
    var value: Frame
    var skip: Int64
  }

  private func receiveOne() throws(MediaError) -> Output<Decoded> {
    let reference = try FrameReference()
    let frame = reference.pointer
    let result = avcodec_receive_frame(context.pointer, frame)
    guard result >= 0 else {
      reference.free()
      switch result {
      case ffmpeg_error_again: return .needsInput
      case ffmpeg_error_end: return .end
      default: throw .library(result, "\(context.name) found damage")
      }
    }
    let skip = Self.skip(frame)
    let named = context.isVideo ? try repacker.named(frame) : frame
    return .value(
      Decoded(value: try Frame(adopting: named, isVideo: context.isVideo), skip: skip))
  }

  private static func skip(_ frame: UnsafeMutablePointer<AVFrame>) -> Int64 {
    guard let side = av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES),
      let data = side.pointee.data, side.pointee.size >= 4
    else { return 0 }
    return Int64(
      UInt32(littleEndian: UnsafeRawPointer(data).loadUnaligned(as: UInt32.self)))
  }

  func flush() {
    avcodec_flush_buffers(context.pointer)
    audio.reset()
    pictures.reset()
  }
}

extension UnsafeMutablePointer<AVPacket> {
  /// Gives an empty packet a copy of bytes, because only libavcodec requires padding after them, and not all have it.
  func copy(_ bytes: MediaBuffer) throws(MediaError) {
    guard bytes.count <= Int(Int32.max) - Int(AV_INPUT_BUFFER_PADDING_SIZE),
      av_new_packet(self, Int32(bytes.count)) >= 0, let data = pointee.data
    else {
      throw MediaError(.limitExceeded, "a packet of \(bytes.count.counting("byte")) is too large")
    }
    bytes.withBytes { source in
      guard let base = source.baseAddress else { return }
      UnsafeMutableRawPointer(data).copyMemory(from: base, byteCount: source.count)
    }
  }
}
