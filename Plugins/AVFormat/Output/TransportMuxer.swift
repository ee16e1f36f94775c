import CAVFormat
import FFmpeg
import RespoolPlugin

/// A muxer for MPEG transport streams (ISO/IEC 13818-1) with libavformat.
///
/// libavformat adds ADTS headers to AAC and delimiters to NAL units; the muxer does the rest, see ``ByteStreamForm``.
final class TransportMuxer<Form: TransportForm>: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(kind: .muxer, name: Form.name, longName: Form.longName)
    description.extensions = Form.extensions
    description.mimeTypes = Form.mimeTypes
    description.codecs = [
      "h264", "hevc", "mpeg2video", "mpeg1video", "mpeg4", "aac", "mp3", "mp2", "ac3", "eac3",
      "dts", "truehd", "opus", "dvb_subtitle",
    ]
    // Only Blu-ray has a type of stream for them.
    if Form.hasTimeStamps { description.codecs.append("hdmv_pgs_subtitle") }
    description.flags = [.needsBytes, .variableFrameRate, .presentsDelay]
    return description
  }

  /// Time in microseconds by which packets come before they are needed, as the ffmpeg command sets it.
  private static var lead: Int32 { 700_000 }
  private static var clock: Rational { Rational(1, 90_000) }

  private let output: SinkOutput
  private let context: UnsafeMutablePointer<AVFormatContext>
  /// Forms of the packets of each track; `nil` if they stay as they are.
  private let forms: [ByteStreamForm?]

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    var forms: [ByteStreamForm?] = []
    for track in media.tracks { forms.append(try ByteStreamForm(track)) }
    self.forms = forms
    output = try SinkOutput(sink)
    var context: UnsafeMutablePointer<AVFormatContext>?
    let result = avformat_alloc_output_context2(&context, nil, "mpegts", nil)
    guard result >= 0, let context else {
      throw .library(result, "this libavformat does not write MPEG transport streams")
    }
    self.context = context
    avformat_forbid_opening(context)
    context.pointee.pb = output.context
    context.pointee.max_delay = Self.lead
    // The output does not contain the version of the library.
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
    func tag(_ name: String) -> String? { media.metadata.first { $0.name == name }?.value }
    let provider = tag("service_provider").flatMap { ServiceTags.fits($0) ? $0 : nil }
    av_dict_set(
      &context.pointee.metadata, "service_provider", provider ?? ServiceTags.ownProvider, 0)
    let name = tag("service_name") ?? (provider == nil ? tag("title") : nil)
    if let name, ServiceTags.fits(name, beside: provider ?? ServiceTags.ownProvider) {
      av_dict_set(&context.pointee.metadata, "service_name", name, 0)
    }
    for track in media.tracks { try addStream(track) }
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    if Form.hasTimeStamps { av_dict_set(&options, "mpegts_m2ts_mode", "1", 0) }
    try check(avformat_write_header(context, &options), "the header cannot be written")
  }

  deinit { avformat_free_context(context) }

  private func addStream(_ track: TrackDescription) throws(MediaError) {
    guard let stream = avformat_new_stream(context, nil),
      let descriptor = avcodec_descriptor_get_by_name(track.codec)
    else { throw MediaError(.unsupported, "\(Form.name) does not carry \(track.codec)") }
    stream.pointee.time_base = Self.clock.ffmpeg
    if let language = track.language {
      av_dict_set(&stream.pointee.metadata, "language", language, 0)
    }
    if track.disposition.contains(.hearingImpaired) {
      stream.pointee.disposition |= AV_DISPOSITION_HEARING_IMPAIRED
    }
    if track.disposition.contains(.visualImpaired) {
      stream.pointee.disposition |= AV_DISPOSITION_VISUAL_IMPAIRED
    }
    guard let parameters = stream.pointee.codecpar else { return }
    parameters.pointee.codec_type = descriptor.pointee.type
    parameters.pointee.codec_id = descriptor.pointee.id
    parameters.pointee.bit_rate = track.bitRate
    parameters.pointee.width = Int32(clamping: track.width)
    parameters.pointee.height = Int32(clamping: track.height)
    parameters.pointee.sample_rate = Int32(clamping: track.sampleRate)
    parameters.pointee.frame_size = Int32(clamping: track.frameSize)
    if let profile = track.profile { parameters.pointee.profile = profile }
    ffmpeg_set_layout(
      &parameters.pointee.ch_layout, Int32(clamping: track.channelLayout.channelCount),
      track.channelLayout.resolved.mask)
    try parameters.setExtradata(track.extradata)
  }

  func timeBase(ofTrack track: Int) -> Rational { Self.clock }

  func write(_ packet: Packet) throws(MediaError) {
    guard let buffer = packet.buffer else {
      throw MediaError(.invalidArgument, "\(Form.name) needs the bytes of a packet, not a range")
    }
    let isKey = packet.flags.contains(.key)
    let bytes = try buffer.withBytes { bytes throws(MediaError) in
      try forms[packet.track]?.bytes(bytes, isKey: isKey) ?? Array(bytes)
    }
    var unit: UnsafeMutablePointer<AVPacket>? = av_packet_alloc()
    defer { av_packet_free(&unit) }
    guard let unit, av_new_packet(unit, Int32(clamping: bytes.count)) >= 0 else {
      throw MediaError(.limitExceeded, "there is no memory for a packet")
    }
    unit.pointee.data.update(from: bytes, count: bytes.count)
    unit.pointee.stream_index = Int32(clamping: packet.track)
    unit.pointee.pts = packet.pts ?? ffmpeg_no_time
    unit.pointee.dts = packet.dts ?? ffmpeg_no_time
    unit.pointee.duration = packet.duration
    if isKey { unit.pointee.flags |= AV_PKT_FLAG_KEY }
    try check(
      av_write_frame(context, unit), "a packet cannot be written", track: packet.track)
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    try check(av_write_trailer(context), "the file cannot be completed")
    avio_flush(output.context)
    if let failure = output.failure { throw failure }
  }

  /// Throws the error of the sink, or that of libavformat.
  private func check(_ result: Int32, _ message: String, track: Int? = nil) throws(MediaError) {
    guard result < 0 else { return }
    if let failure = output.failure { throw failure }
    var error = MediaError.library(result, message)
    error.track = track
    throw error
  }
}

extension UnsafeMutablePointer<AVCodecParameters> {
  /// Copies the configuration record into memory that libavformat frees.
  fileprivate func setExtradata(_ bytes: [UInt8]) throws(MediaError) {
    guard !bytes.isEmpty else { return }
    let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
    guard let memory = av_mallocz(bytes.count + padding) else {
      throw MediaError(.limitExceeded, "there is no memory for the configuration record")
    }
    memory.copyMemory(from: bytes, byteCount: bytes.count)
    pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    pointee.extradata_size = Int32(clamping: bytes.count)
  }
}
