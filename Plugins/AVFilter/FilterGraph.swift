import CAVFilter
import FFmpeg
import RespoolPlugin

/// A graph of a source, one filter of libavfilter and a sink.
///
/// Calls of libavfilter follow `ffmpeg_begin_errors`, which discards the messages that earlier calls of the thread
/// logged, so that an error has only its own.
final class FilterGraph {
  private let graph: UnsafeMutablePointer<AVFilterGraph>
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>

  init(_ specification: Specification, _ settings: FilterSettings) throws(MediaError) {
    guard let graph = avfilter_graph_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a filter")
    }
    do throws(MediaError) {
      ffmpeg_begin_errors()
      graph.pointee.nb_threads = Int32(clamping: settings.threads)
      // The host converts.
      avfilter_graph_set_auto_convert(graph, UInt32(bitPattern: Int32(AVFILTER_AUTO_CONVERT_NONE)))
      let isVideo = specification.media == .video
      source = try Self.addFilter(isVideo ? "buffer" : "abuffer", named: "in", to: graph)
      try Self.initialize(source, for: settings.track)
      let filter = try Self.addFilter(
        specification.libavfilterName, named: specification.name, to: graph)
      for option in specification.fixedOptions + settings.options {
        let result = av_opt_set(filter, option.name, option.value, AV_OPT_SEARCH_CHILDREN)
        guard result >= 0 else {
          throw .library(
            result, .invalidArgument,
            "\(option.name) is \"\(option.value)\", which \(specification.name) does not accept")
        }
      }
      try Self.check(
        avfilter_init_str(filter, nil), specification, settings, "does not accept its options")
      sink = try Self.addFilter(isVideo ? "buffersink" : "abuffersink", named: "out", to: graph)
      try Self.check(avfilter_init_str(sink, nil), specification, settings, "cannot be opened")
      for (from, to) in [(source, filter), (filter, sink)] {
        try Self.check(avfilter_link(from, 0, to, 0), specification, settings, "cannot be linked")
      }
      try Self.check(
        avfilter_graph_config(graph, nil), specification, settings,
        "does not accept its options or the frames")
    } catch {
      var unused: UnsafeMutablePointer<AVFilterGraph>? = graph
      avfilter_graph_free(&unused)
      throw error
    }
    self.graph = graph
  }

  deinit {
    var unused: UnsafeMutablePointer<AVFilterGraph>? = graph
    avfilter_graph_free(&unused)
  }

  /// Adds a filter of libavfilter, which is not initialized.
  private static func addFilter(
    _ libavfilterName: String, named name: String, to graph: UnsafeMutablePointer<AVFilterGraph>
  ) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext> {
    guard let filter = avfilter_get_by_name(libavfilterName) else {
      throw MediaError(
        .unsupported, "this libavfilter is built without the filter \(libavfilterName)")
    }
    guard let context = avfilter_graph_alloc_filter(graph, filter, name) else {
      throw MediaError(.limitExceeded, "there is no memory for a filter")
    }
    return context
  }

  /// Sets the format of the frames that come in, and initializes the source.
  private static func initialize(
    _ source: UnsafeMutablePointer<AVFilterContext>, for track: TrackDescription
  ) throws(MediaError) {
    guard let parameters = av_buffersrc_parameters_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a filter")
    }
    defer { av_free(parameters) }
    defer { av_channel_layout_uninit(&parameters.pointee.ch_layout) }
    parameters.pointee.time_base = track.timeBase.ffmpeg
    if track.kind == .video {
      parameters.pointee.format = track.pixelFormat.ffmpeg.rawValue
      parameters.pointee.width = Int32(clamping: track.width)
      parameters.pointee.height = Int32(clamping: track.height)
      let aspect = track.sampleAspect
      parameters.pointee.sample_aspect_ratio =
        aspect.isPositive ? aspect.ffmpeg : AVRational(num: 0, den: 1)
      let rate = track.frameRate
      parameters.pointee.frame_rate = rate.isPositive ? rate.ffmpeg : AVRational(num: 0, den: 1)
    } else {
      parameters.pointee.format = track.sampleFormat.ffmpeg.rawValue
      parameters.pointee.sample_rate = Int32(clamping: track.sampleRate)
      avfilter_set_layout(
        &parameters.pointee.ch_layout, Int32(clamping: track.channelLayout.channelCount),
        track.channelLayout.resolved.mask)
    }
    var result = av_buffersrc_parameters_set(source, parameters)
    if result >= 0 { result = avfilter_init_str(source, nil) }
    guard result >= 0 else {
      throw .library(result, .unsupported, "libavfilter does not take frames of this format")
    }
  }

  private static func check(
    _ result: Int32, _ specification: Specification, _ settings: FilterSettings, _ problem: String
  ) throws(MediaError) {
    guard result < 0 else { return }
    let options = settings.options.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    throw .library(
      result, .invalidArgument,
      "\(specification.name) \(problem)" + (options.isEmpty ? "" : " (\(options))"))
  }

  /// Sends a frame.
  ///
  /// The graph takes its references to the memory, and the caller frees the empty frame.
  func send(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
    ffmpeg_begin_errors()
    let result = av_buffersrc_add_frame(source, frame)
    guard result >= 0 else { throw .library(result, .pluginFailure, "a frame was refused") }
  }

  /// Ends the input at a time in the time base of the frames that come in; `nil` if it is unknown.
  func end(at time: Int64?) throws(MediaError) {
    ffmpeg_begin_errors()
    let result = av_buffersrc_close(source, time ?? ffmpeg_no_time, 0)
    guard result >= 0 else { throw .library(result, .pluginFailure, "the end was refused") }
  }

  /// Returns the next frame, which the caller frees.
  ///
  /// `needsInput` if the filter has none yet, `end` if there are no more.
  func receive() throws(MediaError) -> Output<FrameReference> {
    let frame = try FrameReference()
    let result = av_buffersink_get_frame(sink, frame.pointer)
    if result >= 0 { return .value(frame) }
    frame.free()
    switch result {
    case ffmpeg_error_again: return .needsInput
    case ffmpeg_error_end: return .end
    default: throw .library(result, .pluginFailure, "the filter failed")
    }
  }

  /// Returns the track with the frames that come out, with the field order of the input.
  func outputTrack(for input: TrackDescription) -> TrackDescription {
    var track = TrackDescription(kind: input.kind, codec: "", timeBase: input.timeBase)
    track.timeBase = Rational(av_buffersink_get_time_base(sink))
    if input.kind == .video {
      track.width = Int(av_buffersink_get_w(sink))
      track.height = Int(av_buffersink_get_h(sink))
      track.pixelFormat =
        PixelFormat(ffmpeg: AVPixelFormat(rawValue: av_buffersink_get_format(sink))) ?? .none
      let aspect = Rational(av_buffersink_get_sample_aspect_ratio(sink))
      track.sampleAspect = aspect.isPositive ? aspect.reduced : .unknown
      let rate = Rational(av_buffersink_get_frame_rate(sink))
      track.frameRate = rate.isPositive ? rate.reduced : .unknown
      let isSame = track.frameRate == input.frameRate.reduced
      track.baseFrameRate = isSame ? input.baseFrameRate : track.frameRate
      track.color = input.color
      track.fieldOrder = input.fieldOrder
    } else {
      track.sampleRate = Int(av_buffersink_get_sample_rate(sink))
      track.sampleFormat =
        SampleFormat(ffmpeg: AVSampleFormat(rawValue: av_buffersink_get_format(sink))) ?? .none
      var layout = AVChannelLayout()
      if av_buffersink_get_ch_layout(sink, &layout) >= 0 {
        track.channelLayout = ChannelLayout(layout)
        av_channel_layout_uninit(&layout)
      }
    }
    return track
  }
}
