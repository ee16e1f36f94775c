import CLAME
import RespoolPlugin

/// An encoder for MP3 (MPEG-1, MPEG-2 and MPEG-2.5 layer III) with LAME.
final class LAMEEncoder: Encoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .encoder, name: "lame", longName: "MP3 by LAME")
    about.tier = .preferred
    about.flags = [.variableFrameSize]
    about.aliases = ["libmp3lame"]
    about.codecs = ["mp3"]
    about.options = EncoderOptions.all
    about.sampleFormats = Parameters.sampleFormats
    about.sampleRates = Parameters.sampleRates
    about.channelLayouts = [.stereo, .mono]
    about.channelCounts = 1...2
    about.rateControl = RateControl(
      .audio, quality: .init(0...9.999, isLowerBetter: true, usual: 2), bitRates: 8000...320_000)
    return about
  }()

  /// Number of audio samples by which the filter banks of every decoder delay the output.
  static let decoderDelay = 528 + 1
  /// Number of audio samples that LAME gets in one call.
  private static let blockSize = 8192
  /// Number of packets that are held back, because the padding may include a whole one.
  private static let heldCount = 2

  private(set) var track: TrackDescription

  private let encoder: OpaquePointer
  private let input: TrackDescription
  private let channelCount: Int
  /// Bytes from LAME, from `outputStart` on, which may end inside a frame.
  private var output: [UInt8] = []
  private var outputStart = 0
  private var packets: [Packet] = []
  private var firstTime: Int64?
  /// Number of accepted audio samples of each channel.
  private var acceptedCount: Int64 = 0
  private var packetCount: Int64 = 0
  private var byteCount: Int64 = 0
  private var isDraining = false

  init(settings: EncoderSettings) throws(MediaError) {
    let parameters = try Parameters(settings)
    encoder = parameters.encoder
    input = settings.track
    channelCount = input.channelLayout.channelCount
    track = input
    track.codecTag = 0
    track.timeBase = Rational(1, Int32(input.sampleRate))
    track.extradata = []
    track.sampleFormat = .fltp
    track.bitsPerSample = 0
    track.blockAlign = 0
    track.bitRate = parameters.bitRate ?? 0
    track.initialPadding = Int(lame_get_encoder_delay(encoder)) + Self.decoderDelay
    track.frameSize = Int(lame_get_framesize(encoder))
    track.start = nil
    track.duration = nil
  }

  deinit { lame_close(encoder) }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard packets.count <= Self.heldCount else { return .full }
    guard let frame else {
      if !isDraining { try drain() }
      return .accepted
    }
    guard !isDraining else { throw MediaError(.invalidArgument, "audio came after the end") }
    let bytes = input.sampleFormat.bytesPerSample
    guard frame.kind == .audio, frame.sampleFormat == input.sampleFormat,
      frame.sampleRate == input.sampleRate, frame.channelLayout.channelCount == channelCount,
      frame.planes.count == channelCount, frame.sampleCount >= 0,
      frame.planes.allSatisfy({ $0.stride / bytes >= frame.sampleCount })
    else {
      throw MediaError(
        .invalidArgument,
        "audio is \(frame.sampleFormat) of \(frame.channelLayout) at \(frame.sampleRate) Hz; the "
          + "encoder was opened for \(input.sampleFormat) of \(channelCount.counting("channel")) "
          + "at \(input.sampleRate) Hz")
    }
    if firstTime == nil {
      firstTime = frame.pts.map { input.timeBase.convert($0, to: track.timeBase) } ?? 0
    }
    defer { withExtendedLifetime(frame.buffer) {} }
    var position = 0
    while position < frame.sampleCount {
      let count = min(Self.blockSize, frame.sampleCount - position)
      try encode(frame.planes.map { UnsafeRawPointer($0.base) + position * bytes }, count: count)
      position += count
    }
    acceptedCount += Int64(frame.sampleCount)
    return .accepted
  }

  /// Encodes audio samples of each channel.
  private func encode(_ planes: [UnsafeRawPointer], count: Int) throws(MediaError) {
    guard let left = planes.first, let right = planes.last else { return }
    // The size that lame.h requires: 1.25 bytes for each sample, and 7200.
    try append(capacity: count + count / 4 + 7200) { buffer, size in
      switch input.sampleFormat {
      case .s16p:
        lame_encode_buffer(
          encoder, left.assumingMemoryBound(to: Int16.self),
          right.assumingMemoryBound(to: Int16.self), Int32(count), buffer, size)
      case .s32p:
        lame_encode_buffer_int(
          encoder, left.assumingMemoryBound(to: Int32.self),
          right.assumingMemoryBound(to: Int32.self), Int32(count), buffer, size)
      default:
        Self.withValidSamples(left, count) { left in
          Self.withValidSamples(right, count) { right in
            lame_encode_buffer_ieee_float(encoder, left, right, Int32(count), buffer, size)
          }
        }
      }
    }
  }

  /// Calls `body` with the audio samples, or with a copy in which invalid ones are limited, for which LAME stops the
  /// process by an assertion.
  private static func withValidSamples(
    _ plane: UnsafeRawPointer, _ count: Int, _ body: (UnsafePointer<Float>) -> Int32
  ) -> Int32 {
    let samples = UnsafeBufferPointer(
      start: plane.assumingMemoryBound(to: Float.self), count: count)
    guard let base = samples.baseAddress else { return 0 }
    if samples.allSatisfy(\.isAudioSample) { return body(base) }
    let limited = samples.map(\.asAudioSample)
    return limited.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? 0 }
  }

  private func drain() throws(MediaError) {
    isDraining = true
    guard acceptedCount > 0 else { return }
    try append(capacity: 7200) { lame_encode_flush(encoder, $0, $1) }
    guard outputStart == output.count else {
      throw MediaError(.pluginFailure, "LAME's last frame is incomplete")
    }
    // Padding is all that decoders return after the audio. LAME's last frame may have nothing else, for decoders with a
    // longer delay; the audio is complete without it. But players do not recognize a file with one frame.
    let size = Int64(track.frameSize)
    var padding = packetCount * size - Int64(track.initialPadding) - acceptedCount
    while padding >= size, packetCount > 2, let last = packets.popLast() {
      padding -= size
      packetCount -= 1
      byteCount -= Int64(last.size)
    }
    guard padding >= 0, !packets.isEmpty else {
      throw MediaError(
        .pluginFailure,
        "LAME returned \(packetCount) frames for \(acceptedCount.counting("audio sample"))")
    }
    packets[packets.count - 1].trimEnd = min(padding, size)
    if padding > size, packets.count > 1 { packets[packets.count - 2].trimEnd = padding - size }
    track.bitRate =
      packetCount > 0
      ? byteCount * 8 * Int64(input.sampleRate) / (packetCount * size) : track.bitRate
  }

  /// Appends what `function` writes to a buffer, and makes packets of the complete frames.
  private func append(
    capacity: Int, _ function: (UnsafeMutablePointer<UInt8>, Int32) -> Int32
  ) throws(MediaError) {
    output.removeFirst(outputStart)
    outputStart = 0
    var status: Int32 = 0
    let added = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      if let base = buffer.baseAddress { status = function(base, Int32(capacity)) }
      count = min(capacity, Int(max(0, status)))
    }
    guard status >= 0 else {
      throw .lame("LAME could not encode audio (status \(status))", .pluginFailure)
    }
    output += added
    while output.count - outputStart >= MPEGAudioHeader.byteCount {
      guard let header = MPEGAudioHeader(output[outputStart...]),
        header.sampleCount == track.frameSize, header.sampleRate == input.sampleRate
      else { throw MediaError(.pluginFailure, "LAME returned something other than a frame") }
      let end = outputStart + header.frameLength
      guard end <= output.count else { break }
      let time = (firstTime ?? 0) + packetCount * Int64(track.frameSize)
      let pts = time - Int64(track.initialPadding)
      packets.append(
        Packet(
          track: 0, pts: pts, dts: pts, duration: Int64(track.frameSize), flags: .key,
          payload: .bytes(MediaBuffer(output[outputStart..<end]))))
      packetCount += 1
      byteCount += Int64(header.frameLength)
      outputStart = end
    }
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard packets.count > (isDraining ? 0 : Self.heldCount) else {
      return isDraining ? .end : .needsInput
    }
    return .value(packets.removeFirst())
  }
}
