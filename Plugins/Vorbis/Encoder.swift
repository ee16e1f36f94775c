import CVorbis
import RespoolPlugin
import Xiph

/// An encoder for Vorbis with libvorbis.
final class VorbisEncoder: Encoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .encoder, name: "vorbis", longName: "Vorbis by libvorbis")
    about.tier = .preferred
    about.flags = [.variableFrameSize]
    about.aliases = ["libvorbis"]
    about.codecs = ["vorbis"]
    about.options = EncoderOptions.all
    about.sampleFormats = [.fltp]
    // The usual rates up to the highest that libvorbis takes; others are resampled to the next one.
    about.sampleRates = [
      8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
      176_400, 192_000,
    ]
    about.channelLayouts = ChannelOrder.layouts
    about.channelCounts = 1...8
    about.rateControl = RateControl(
      .audio, quality: .init(0...10, isLowerBetter: false, usual: usualQuality),
      bitRates: 8000...4_000_000)
    return about
  }()

  /// The quality of oggenc.
  static let usualQuality = 3.0
  /// Number of audio samples that libvorbis gets at once, as from oggenc: it changes the first block.
  private static let stepSize = 1024

  private(set) var track: TrackDescription

  private let state: EncoderState
  private let inputTimeBase: Rational
  private let channelCount: Int
  /// Index in the frame of each channel of the stream.
  private let frameChannels: [Int]
  /// Planes of libvorbis for the next audio samples, and their number so far.
  private var buffer: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
  private var filled = 0
  private var packets: ArraySlice<Packet> = []
  private var firstTime: Int64?
  /// Number of audio samples before the next packet; negative for the first one, which gives none (Vorbis I 4.3.8).
  private var position: Int64
  private var lastBlock: Int
  private var acceptedCount = 0
  private var isDraining = false

  init(settings: EncoderSettings) throws(MediaError) {
    let parameters = try Parameters(settings)
    let input = settings.track
    state = EncoderState()
    try state.open(parameters)
    channelCount = input.channelLayout.channelCount
    frameChannels = ChannelOrder.frameChannels(channelCount) ?? Array(0..<channelCount)
    inputTimeBase =
      input.timeBase.isPositive ? input.timeBase : Rational(1, Int32(input.sampleRate))
    track = input
    track.codecTag = 0
    track.timeBase = Rational(1, Int32(input.sampleRate))
    track.extradata = try state.headers()
    track.channelLayout = .vorbis(channelCount)
    // libvorbis begins with a short block. The length of the first packet follows from two such blocks.
    lastBlock = Int(max(0, vorbis_info_blocksize(state.info, 0)))
    position = -Int64(lastBlock / 2)
    track.bitsPerSample = 0
    track.blockAlign = 0
    track.bitRate = settings.bitRate ?? Int64(max(0, state.info.pointee.bitrate_nominal))
    track.frameSize = 0
    track.initialPadding = lastBlock / 2
    track.start = nil
    track.duration = nil
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard packets.isEmpty else { return .full }
    guard let frame else {
      if !isDraining {
        isDraining = true
        guard acceptedCount > 0 else { return .accepted }
        if filled > 0 { try encode(filled) }
        try encode(0)
      }
      return .accepted
    }
    guard !isDraining else { throw MediaError(.invalidArgument, "audio came after the end") }
    let count = frame.sampleCount
    guard frame.kind == .audio, frame.sampleFormat == .fltp, frame.sampleRate == track.sampleRate,
      frame.channelLayout.channelCount == channelCount, frame.planes.count == channelCount,
      count >= 0
    else {
      throw MediaError(
        .invalidArgument,
        "audio is \(frame.sampleFormat) of \(frame.channelLayout) at \(frame.sampleRate) Hz; the "
          + "encoder was opened for fltp of \(channelCount.counting("channel")) at "
          + "\(track.sampleRate)")
    }
    if firstTime == nil {
      firstTime = frame.pts.map { inputTimeBase.convert($0, to: track.timeBase) } ?? 0
    }
    var start = 0
    try withExtendedLifetime(frame.buffer) { () throws(MediaError) in
      while start < count {
        let part = min(Self.stepSize - filled, count - start)
        try copy(frame, from: start, count: part)
        (start, filled) = (start + part, filled + part)
        if filled == Self.stepSize { try encode(filled) }
      }
    }
    acceptedCount += count
    return .accepted
  }

  /// Copies audio samples into libvorbis's memory, in its order of channels.
  private func copy(_ frame: Frame, from start: Int, count: Int) throws(MediaError) {
    if buffer == nil { buffer = vorbis_analysis_buffer(state.analysis, Int32(Self.stepSize)) }
    guard let buffer else {
      throw MediaError(.limitExceeded, "there is no memory for audio of Vorbis")
    }
    for (channel, plane) in frameChannels.enumerated() {
      guard let target = buffer[channel] else { continue }
      let source = frame.planes[plane].base.assumingMemoryBound(to: Float.self) + start
      for index in 0..<count {
        // libvorbis does not expect numbers without a value.
        target[filled + index] = source[index].asAudioSample
      }
    }
  }

  /// Encodes what was copied; 0 is the end of the audio.
  private func encode(_ count: Int) throws(MediaError) {
    (buffer, filled) = (nil, 0)
    guard vorbis_analysis_wrote(state.analysis, Int32(count)) == 0 else {
      throw MediaError(.pluginFailure, "libvorbis does not take the audio")
    }
    while vorbis_analysis_blockout(state.analysis, state.block) == 1 {
      guard vorbis_analysis(state.block, nil) == 0, vorbis_bitrate_addblock(state.block) == 0
      else { throw MediaError(.pluginFailure, "libvorbis could not encode a block") }
      var packet = ogg_packet()
      while vorbis_bitrate_flushpacket(state.analysis, &packet) == 1 { add(&packet) }
    }
  }

  private func add(_ coded: inout ogg_packet) {
    let bytes = MediaBuffer(
      copying: UnsafeRawBufferPointer(start: coded.packet, count: max(0, coded.bytes)))
    let block = max(0, vorbis_packet_blocksize(state.info, &coded))
    let length = Int64((lastBlock + block) / 4)
    lastBlock = block
    let time = (firstTime ?? 0).addingClamped(position)
    var packet = Packet(
      track: 0, pts: time, dts: time, duration: length, flags: .key, payload: .bytes(bytes))
    // The last packet states how much of it belongs to the audio.
    if coded.e_o_s != 0 {
      packet.trimEnd = min(length, max(0, position + length - coded.granulepos))
    }
    position += length - packet.trimEnd
    packets.append(packet)
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard let packet = packets.popFirst() else { return isDraining ? .end : .needsInput }
    return .value(packet)
  }
}
