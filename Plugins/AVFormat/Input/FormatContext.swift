import CAVFormat
import RespoolPlugin

/// An open AVFormatContext whose streams are known.
final class FormatContext {
  let input: SourceInput
  private(set) var pointer: UnsafeMutablePointer<AVFormatContext>
  /// FFmpeg's names of the container, joined by commas.
  let name: String

  /// The first box of a file of still images, with its brand (ISO/IEC 23008-12 10.2).
  private static let stillImages: Set<String> = ["ftypheic", "ftypheix", "ftypmif1", "ftypavif"]

  /// Maximum number of streams: a damaged MPEG-TS appears to have thousands.
  private static let maximumStreams: Int32 = 256

  /// A sentence about data that the header declares and the file lacks.
  ///
  /// `nil` if nothing is known to be missing.
  let missing: String?

  init(source: ByteSource) throws(MediaError) {
    let input = try SourceInput(source: source)
    self.input = input
    let format = try MotionJPEG.format(instead: Self.probe(input), of: source)
    name = String(cString: format.pointee.name)
    // A single image may be larger than the limit for opening other files.
    if name.hasSuffix("_pipe") { input.finishOpening() }
    missing = try DeclaredExtent.missing(in: source, format: name)
    try ForeignFiles.check(format: name)
    guard let context = avformat_alloc_context() else {
      throw MediaError(.limitExceeded, "there is no memory for a demuxer")
    }
    context.pointee.pb = input.context
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    context.pointee.max_streams = Self.maximumStreams
    context.pointee.interrupt_callback.opaque = Unmanaged.passUnretained(input).toOpaque()
    context.pointee.interrupt_callback.callback = {
      guard let opaque = $0 else { return 0 }
      let input = Unmanaged<SourceInput>.fromOpaque(opaque).takeUnretainedValue()
      return input.source.isCancelled ? 1 : 0
    }
    avformat_forbid_opening(context)
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    // Set as in the ffmpeg command: a second program map adds streams instead of replacing them.
    if name == "mpegts" { av_dict_set(&options, "scan_all_pmts", "1", 0) }
    var opened: UnsafeMutablePointer<AVFormatContext>? = context
    let result = avformat_open_input(&opened, source.name, format, &options)
    guard result >= 0, let opened else {
      if let failure = input.failure { throw failure }
      let brand = String(decoding: try source.read(at: 4, count: 8), as: UTF8.self)
      if Self.stillImages.contains(brand) {
        throw MediaError(
          .unsupported, "an image in HEIF, which this version of libavformat does not read")
      }
      throw .library(
        result,
        "the file is taken for \(String(cString: format.pointee.long_name)), by its name or its first "
          + "bytes, but no track was found: it is something else, or its header is damaged or cut off",
        offset: input.offset)
    }
    pointer = opened
    let found = Self.identifyTracks(of: opened)
    if found < 0 {
      let offset = input.offset
      close()
      if let failure = input.failure { throw failure }
      throw .library(found, "the tracks cannot be identified", offset: offset)
    }
    if source.isCancelled {
      close()
      throw MediaError(.cancelled, "reading was cancelled")
    }
    if streamCount == 1, let parameters = stream(0)?.pointee.codecpar?.pointee,
      parameters.codec_type == AVMEDIA_TYPE_AUDIO, parameters.sample_rate <= 0
    {
      close()
      throw MediaError(
        .malformed, "the file was detected as \(name), but contains no frame")
    }
    input.finishOpening()
  }

  deinit { close() }

  private var isClosed = false

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    var context: UnsafeMutablePointer<AVFormatContext>? = pointer
    avformat_close_input(&context)
  }

  var streamCount: Int { Int(pointer.pointee.nb_streams) }

  func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
    index >= 0 && index < streamCount ? pointer.pointee.streams[index] : nil
  }

  /// `true` if times may jump anywhere in the file, as in MPEG-TS.
  var allowsDiscontinuities: Bool {
    pointer.pointee.iformat.map { $0.pointee.flags & AVFMT_TS_DISCONT != 0 } ?? false
  }

  /// `true` if the container stores decoding times or decoding order, but no presentation times.
  var storesDecodingOrderOnly: Bool {
    name == "avi"
      || pointer.pointee.iformat.map { $0.pointee.flags & AVFMT_NOTIMESTAMPS != 0 } ?? false
  }

  /// `true` if the file itself stores its duration.
  ///
  /// Otherwise libavformat estimates it from the bit rate or the last time stamps, so it follows the bytes
  /// that are present. `false` for formats that state their length in bytes: they need no comparison of
  /// durations.
  var declaresDuration: Bool {
    !DeclaredExtent.formats.contains(name)
      && pointer.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
  }

  var isMatroska: Bool { name.hasPrefix("matroska") }

  var isOgg: Bool { name == "ogg" }

  private static func probe(_ input: SourceInput) throws(MediaError) -> UnsafePointer<
    AVInputFormat
  > {
    var format: UnsafePointer<AVInputFormat>?
    var result = av_probe_input_buffer2(input.context, &format, input.source.name, nil, 0, 0)
    // By its file name, an image counts as an image sequence; without the name, its bytes decide.
    if result >= 0, let name = format?.pointee.name, String(cString: name) == "image2" {
      format = nil
      result = av_probe_input_buffer2(input.context, &format, "", nil, 0, 0)
    }
    if let failure = input.failure { throw failure }
    if input.source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
    guard result >= 0, let format else {
      throw MediaError(.unsupported, "not a media file that can be read")
    }
    return format
  }
}
