import RespoolMedia

/// Encoder of an input's frames, or writer of the packets that it passes through.
///
/// The thread of the input's queue creates it and is the only one to use it.
final class InputEncoder {
  private let encoding: InputEncoding?
  private let passes: InputPasses
  private let schedule: SegmentSchedule?
  private let delivery: SegmentDelivery?
  private weak let writer: AssetWriter?
  private let port: TrackOutput
  /// Chain of stages, created with the first frame of a pass.
  private var stage: (any Stage<Frame>)?
  /// End of the chain in the first of two passes.
  private var analysis: AnalysisStage?
  /// Number of the segment that the last frame belongs to.
  private var segment: Int64 = 0

  /// Creates an encoder; without `encoding`, samples are passed through.
  init(
    _ encoding: InputEncoding?, passes: InputPasses, schedule: SegmentSchedule?,
    delivery: SegmentDelivery?, writer: AssetWriter?, to port: TrackOutput
  ) {
    (self.encoding, self.passes, self.port) = (encoding, passes, port)
    (self.schedule, self.delivery, self.writer) = (schedule, delivery, writer)
  }

  /// Does work of the queue unless the writer has ended; an error fails the writer.
  func perform(_ work: AppendQueue.Work) {
    guard let writer, writer.status == .writing else { return }
    do throws(MediaError) { try work(self) } catch { writer.fail(error) }
    delivery?.waitForRoom()
  }

  /// Encodes or writes a sample.
  func consume(_ sample: AppendedSample) throws(MediaError) {
    switch sample {
    case .frame(var frame, let source, let base):
      if stage == nil { stage = try makeStage(first: source, timeBase: base) }
      markSegment(&frame, in: base)
      try stage?.consume(frame)
    case .packet(let packet, let beginning, let update):
      if let beginning { try port.begin(beginning) }
      if let update { port.update(update) }
      try port.consume(packet)
    }
  }

  /// Ends the first of two passes; the last one starts in the same state.
  func finishFirstPass() throws(MediaError) {
    try stage?.finish()
    let statistics = analysis?.statistics ?? []
    (stage, analysis, segment) = (nil, nil, 0)
    passes.beginLast(statistics: statistics)
  }

  /// Ends the track.
  func finish() throws(MediaError) {
    if let stage { try stage.finish() } else { try port.finish() }
    stage = nil
  }

  /// Forces a sync sample if a segment starts with this frame.
  private func markSegment(_ frame: inout Frame, in timeBase: Rational) {
    guard frame.kind == .video, let schedule else { return }
    let segment = schedule.segmentNumber(at: MediaTime(frame.pts, timeBase))
    if segment > self.segment { frame.flags.insert(.mustBeKey) }
    self.segment = segment
  }

  /// Returns the chain of stages for a pass; `first` describes its first frame.
  private func makeStage(first: TrackDescription, timeBase: Rational) throws(MediaError)
    -> any Stage<Frame>
  {
    guard let encoding else {
      throw MediaError(.internal, "an input that is passed through has no encoder")
    }
    let open = ChainBuilder(registry: encoding.registry, scratch: passes.scratch).opener(
      encoding.factory
    ) {
      [passes] (frame) throws(MediaError) in
      try encoding.settings(for: frame, timeBase: timeBase, pass: passes.encodingPass)
    }
    let encode = EncodeStage(
      to: port,
      complete: { track in
        // The frames' own clean aperture is kept if their size is.
        guard track.cleanAperture == nil, let aperture = first.cleanAperture,
          (track.width, track.height) == (first.width, first.height)
        else { return }
        track.cleanAperture = aperture
      }, open: open)
    switch encoding.output {
    case .video(let video):
      if passes.encodingPass == .first { analysis = AnalysisStage(timeBase: timeBase, open: open) }
      var end: any Stage<Frame> = analysis ?? encode
      if let interval = video.maxKeyFrameIntervalDuration {
        end = KeyFrameStage(every: interval, timeBase: timeBase, to: end)
      }
      return try conversion(video, first, encoding.pixelFormat, timeBase: timeBase, to: end)
    case .audio(let audio):
      let audioFormat = AudioFormat(
        sampleFormat: encoding.sampleFormat, sampleRate: audio.sampleRate,
        channelLayout: audio.channelLayout)
      return AudioConversionStage(output: audioFormat, timeBase: timeBase, to: encode)
    }
  }

  /// Returns a chain of stages that converts frames to the size and format to encode.
  private func conversion(
    _ video: VideoOutputSettings, _ first: TrackDescription, _ format: PixelFormat,
    timeBase: Rational, to end: any Stage<Frame>
  ) throws(MediaError) -> any Stage<Frame> {
    let size = VideoDimensions(
      width: video.width ?? first.width, height: video.height ?? first.height)
    if let aperture = video.cleanAperture, !aperture.fits(width: size.width, height: size.height) {
      throw MediaError(
        .invalidArgument,
        "the clean aperture \(aperture) does not fit into frames of \(size.width)x\(size.height)")
    }
    let convert = VideoConversionStage(
      output: VideoFormat(
        pixelFormat: format, width: size.width, height: size.height,
        color: video.color ?? .unspecified),
      orientation: .init(), sampleAspect: video.pixelAspectRatio, maximumRate: nil,
      timeBase: timeBase, to: end)
    let fit = FittingStage(
      video, size: size, aperture: first.cleanAperture, pixelFormat: format, to: convert)
    return DurationStage(to: fit)
  }
}

/// Sample that an input has accepted, as it was when it was appended.
///
/// Later changes to the sample buffer or to the contents of its image buffer do not affect it.
enum AppendedSample: Sendable {
  /// A frame to encode, with times in `timeBase`; `source` describes the first frame of a track.
  case frame(Frame, source: TrackDescription, timeBase: Rational)
  /// A packet to write. If `beginning` is set, the track begins with it. If `update` is set, the track's
  /// description changes to `update` from this packet on.
  case packet(Packet, beginning: TrackDescription?, update: TrackDescription?)

  /// Size of the sample's data in memory, in bytes.
  var cost: Int {
    switch self {
    case .frame(let frame, _, _): frame.byteCount
    case .packet(let packet, _, _): packet.buffer == nil ? 0 : packet.size
    }
  }
}
