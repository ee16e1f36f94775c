import CAVFormat
import FFmpeg
import RespoolPlugin

extension TrackDescription {
  /// Describes a stream of libavformat.
  ///
  /// `clock` shifts and converts its times.
  init(stream: UnsafeMutablePointer<AVStream>, index: Int, clock: TrackClock) {
    let value = stream.pointee
    let parameters = value.codecpar.pointee
    self.init(
      kind: Kind(parameters.codec_type), codec: Self.codecName(parameters.codec_id),
      timeBase: clock.timeBase)
    // `MediaDescription` replaces numbers that several tracks share.
    id = value.id != 0 ? Int64(value.id) : Int64(index) + 1
    codecTag = parameters.codec_tag
    // libavformat has names for some types of attached files; any other file is data.
    if kind == .attachment, codec != "ttf", codec != "otf" { codec = "bin_data" }
    disposition = Disposition(ffmpeg: value.disposition)
    if let data = parameters.extradata, parameters.extradata_size > 0 {
      extradata = Array(UnsafeBufferPointer(start: data, count: Int(parameters.extradata_size)))
    }
    if value.start_time != ffmpeg_no_time { start = max(0, clock.start(value.start_time)) }
    if value.duration != ffmpeg_no_time, value.duration >= 0 {
      duration = Rational(value.time_base).convert(value.duration, to: clock.timeBase)
    }
    if value.nb_frames > 0 { packetCount = value.nb_frames }
    bitRate = max(0, parameters.bit_rate)
    metadata = MetadataEntry.all(in: value.metadata)
    moveLanguageFromTags()
    profile = parameters.profile >= 0 ? parameters.profile : nil
    level = parameters.level >= 0 ? parameters.level : nil
    // Containers of FLAC and other compressed audio store no bits per coded sample.
    bitsPerSample = Int(
      parameters.bits_per_coded_sample > 0
        ? parameters.bits_per_coded_sample : max(0, parameters.bits_per_raw_sample))
    switch kind {
    case .video: describeVideo(stream, parameters)
    case .audio: describeAudio(parameters)
    default: break
    }
  }

  /// Moves the language from the tags to the description.
  ///
  /// MPEG-TS has one for each channel of dual mono (ISO/IEC 13818-1 2.6.18), which FFmpeg reports as
  /// `ger,fre`. A track has only one language, so the others stay in a tag.
  private mutating func moveLanguageFromTags() {
    guard let entry = metadata.firstIndex(where: { $0.name == "language" }) else { return }
    let stated = metadata.remove(at: entry).value.split(separator: ",").map(String.init)
    language = stated.first
    guard stated.count > 1, Set(stated).count > 1 else { return }
    metadata.append(
      MetadataEntry("further_languages", stated.dropFirst().joined(separator: ",")))
  }

  private mutating func describeVideo(
    _ stream: UnsafeMutablePointer<AVStream>, _ parameters: AVCodecParameters
  ) {
    let value = stream.pointee
    width = Int(max(0, parameters.width))
    height = Int(max(0, parameters.height))
    let aspect = Rational(
      value.sample_aspect_ratio.num > 0
        ? value.sample_aspect_ratio : parameters.sample_aspect_ratio)
    if aspect.isPositive { sampleAspect = aspect }
    baseFrameRate = Rational(value.r_frame_rate)
    frameRate = Rational(value.avg_frame_rate)
    if !frameRate.isPositive { frameRate = baseFrameRate }
    pixelFormat = PixelFormat(ffmpeg: AVPixelFormat(rawValue: parameters.format)) ?? .none
    color = ColorDescription(
      parameters.color_primaries, parameters.color_trc, parameters.color_space,
      parameters.color_range, parameters.chroma_location)
    switch parameters.field_order {
    case AV_FIELD_PROGRESSIVE: fieldOrder = .progressive
    // Field order is by display time here: TB stores the top field first and shows the bottom field first.
    case AV_FIELD_TT, AV_FIELD_BT: fieldOrder = .topFirst
    case AV_FIELD_BB, AV_FIELD_TB: fieldOrder = .bottomFirst
    default: break
    }
    reorderDepth = Int(max(0, parameters.video_delay))
    var size = 0
    if let matrix = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size),
      size >= DisplayMatrix.ffmpegByteCount
    {
      displayMatrix = DisplayMatrix(ffmpeg: UnsafeRawPointer(matrix))
    }
    takeSideData(of: stream)
  }

  /// Corrects the order of fields of a Matroska file, whose values 9 and 14 are by display time (RFC 9559, 5.1.4.1.28.3).
  ///
  /// libavformat gives them the names of QuickTime's 9 and 14, which mean the other order.
  mutating func takeFields(ofMatroska parameters: AVCodecParameters) {
    switch parameters.field_order {
    case AV_FIELD_TB: fieldOrder = .topFirst
    case AV_FIELD_BT: fieldOrder = .bottomFirst
    default: break
    }
  }

  private mutating func describeAudio(_ parameters: AVCodecParameters) {
    sampleRate = Int(max(0, parameters.sample_rate))
    channelLayout = ChannelLayout(parameters.ch_layout)
    sampleFormat = SampleFormat(ffmpeg: AVSampleFormat(rawValue: parameters.format)) ?? .none
    frameSize = Int(max(0, parameters.frame_size))
    blockAlign = Int(max(0, parameters.block_align))
    initialPadding = Int(
      max(0, Int64(parameters.initial_padding), AudioLength.preSkip(parameters)))
    seekPreroll = Int(max(0, parameters.seek_preroll))
  }

  private static func codecName(_ id: AVCodecID) -> String {
    guard id != AV_CODEC_ID_NONE, avcodec_descriptor_get(id) != nil,
      let name = avcodec_get_name(id)
    else { return "" }
    return String(cString: name)
  }
}
