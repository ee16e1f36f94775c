import CAVFormat
import FFmpeg
import RespoolPlugin

/// The mapping of a file's times to the presentation time line, as in the ffmpeg command.
///
/// The container's start becomes 0, a counter that wraps around continues, and jumps are closed in formats
/// that allow them (MPEG-TS).
struct TimeLine {
  /// One stream's progress, in microseconds.
  private struct Progress {
    var wrapIsCorrected = false
    var sawFirst = false
    /// Time of the last packet, and expected time of the next one.
    var last: Int64 = 0
    var next: Int64?
    /// Expected decoding time of the next packet in the stream's own time base, in which steps are not rounded.
    ///
    /// `nil` after a packet without a duration.
    var nextDTS: Int64?
    /// Index of the offset in ``offsets`` that applies to the stream.
    var offset = 0
  }

  private var progress: [Progress]
  /// The stream that starts first.
  ///
  /// Its own start is exact, the container's is rounded to microseconds.
  private let anchor: (start: Int64, timeBase: Rational)?
  private let containerStart: Int64?
  private let allowsDiscontinuities: Bool
  /// Offsets in microseconds that close jumps, in the order in which streams came upon them.
  ///
  /// Streams come upon a jump one after another, so that each has its own until then.
  private var offsets: [Int64] = [0]
  private var lastTime: Int64?

  private static let microseconds = Rational(1, Int32(AV_TIME_BASE))
  /// Greatest difference from the expected time that is no jump; `-dts_delta_threshold` of the ffmpeg command.
  private static let jump: Int64 = 10_000_000
  /// Greatest jump ahead that is a gap in a recording; the clock of another recording may be ahead by more.
  private static let gap: Int64 = 600_000_000
  /// Greatest difference from the expected time at which times count as those of an earlier offset again.
  private static let mistake: Int64 = 1_000_000
  /// Number of offsets that are kept; more mean that the times have no order.
  private static let mostOffsets = 4096
  /// `-dts_error_threshold` of the ffmpeg command.
  ///
  /// Times that are further off are dropped.
  private static let error: Int64 = 3600 * 30 * 1_000_000

  /// Creates the mapping.
  ///
  /// `afterEncoderDelay`: the encoder delay is before time 0. FFmpeg instead starts the file with it.
  init(context: FormatContext, afterEncoderDelay: Bool = false) {
    progress = Array(repeating: Progress(), count: context.streamCount)
    allowsDiscontinuities = context.allowsDiscontinuities
    let firstDecoded = Self.start(of: context)
    guard
      let start = afterEncoderDelay
        ? firstDecoded.map({ Self.audibleStart(context, $0) }) : firstDecoded
    else {
      containerStart = nil
      anchor = nil
      return
    }
    containerStart = start
    anchor =
      (0..<context.streamCount).lazy.compactMap { context.stream($0)?.pointee }.compactMap {
        stream in
        Self.start(of: stream, in: context).map { ($0, Rational(stream.time_base)) }
      }.first { $0.1.convert($0.0, to: Self.microseconds) == start }
  }

  /// Returns the time of a stream's first shown audio sample or frame, in its own time base.
  ///
  /// libavformat moves Opus in Matroska back by its CodecDelay (RFC 9559 5.1.4.1.16), so that it starts below
  /// 0. That is not the start of the file, because nothing is audible before 0.
  private static func start(of stream: AVStream, in context: FormatContext) -> Int64? {
    let base = Rational(stream.time_base)
    guard stream.start_time != ffmpeg_no_time, base.isPositive else { return nil }
    guard context.isMatroska else { return stream.start_time }
    let delay = Rational(1, 48000).convert(AudioLength.preSkip(stream.codecpar.pointee), to: base)
    return stream.start_time.addingClamped(delay)
  }

  /// Returns the start of the file in microseconds.
  ///
  /// If times may start anywhere, only audio and video count: an earlier table or subtitle must not delay
  /// them. The same applies to Matroska if the container's start is a delay of Opus.
  ///
  /// `nil` for a file of subtitles alone: its times are those of a film, and start anywhere.
  private static func start(of context: FormatContext) -> Int64? {
    let stated = context.pointer.pointee.start_time
    guard stated != ffmpeg_no_time else { return nil }
    var (hasDelay, hasMedia) = (false, false)
    let starts = (0..<context.streamCount).compactMap { index -> Int64? in
      guard let stream = context.stream(index)?.pointee else { return nil }
      if stream.codecpar.pointee.codec_type != AVMEDIA_TYPE_SUBTITLE { hasMedia = true }
      guard isTimed(stream), let start = start(of: stream, in: context) else { return nil }
      if start != stream.start_time { hasDelay = true }
      return Rational(stream.time_base).convert(start, to: microseconds)
    }
    guard hasMedia else { return nil }
    guard context.allowsDiscontinuities || hasDelay else { return stated }
    return starts.min() ?? stated
  }

  /// Returns `true` for audio, and for video that is no cover: libavformat gives covers the start of the file.
  private static func isTimed(_ stream: AVStream) -> Bool {
    let type = stream.codecpar.pointee.codec_type
    return type == AVMEDIA_TYPE_AUDIO
      || type == AVMEDIA_TYPE_VIDEO && stream.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
  }

  /// Returns the time of the first shown sample in a file that begins before 0, in microseconds.
  private static func audibleStart(_ context: FormatContext, _ start: Int64) -> Int64 {
    guard start < 0 else { return start }
    var unit: Int64 = 0
    let starts = (0..<context.streamCount).compactMap { index -> Int64? in
      guard let stream = context.stream(index)?.pointee, stream.start_time != ffmpeg_no_time,
        let parameters = stream.codecpar?.pointee, Rational(stream.time_base).isPositive,
        isTimed(stream)
      else { return nil }
      let base = Rational(stream.time_base)
      unit = max(unit, base.convert(1, to: microseconds))
      let delay =
        parameters.sample_rate > 0
        ? Rational(1, parameters.sample_rate).convert(
          Int64(max(0, parameters.initial_padding)), to: microseconds) : 0
      return base.convert(stream.start_time, to: microseconds).addingClamped(delay)
    }
    guard let first = starts.min() else { return start }
    // Times are rounded: a time close to 0 is 0.
    return first.magnitude <= UInt64(unit) ? 0 : first
  }

  /// The container's start in nanoseconds.
  ///
  /// It is 0 on the presentation time line.
  var startInNanoseconds: Int64 {
    containerStart.map { Self.microseconds.convert($0, to: .nanoseconds) } ?? 0
  }

  /// Returns the offset that is added to all times of a stream with this time base.
  func offset(for timeBase: Rational) -> Int64 {
    if let anchor { return -anchor.timeBase.convert(anchor.start, to: timeBase) }
    return containerStart.map { -Self.microseconds.convert($0, to: timeBase) } ?? 0
  }

  /// Forgets the position of each stream, as after a seek.
  mutating func reset() {
    progress = Array(repeating: Progress(), count: progress.count)
    offsets = [0]
    lastTime = nil
  }

  /// Times of one packet, in the stream's own time base.
  ///
  /// `nil` if unknown.
  struct Times {
    var pts: Int64?
    var dts: Int64?
    var duration: Int64
  }

  /// Shifts the times of the next packet of `stream` and adds a decoding time if it is missing.
  mutating func shift(_ times: inout Times, of index: Int, _ stream: AVStream) {
    let base = Rational(stream.time_base)
    guard index < progress.count, base.isPositive else { return }
    correctWrap(&times, index, stream, base)
    let type = stream.codecpar.pointee.codec_type
    let isMedia = type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO
    if !isMedia || !progress[index].sawFirst { progress[index].offset = offsets.count - 1 }
    let shift = offset(for: base).addingClamped(
      Self.microseconds.convert(offsets[progress[index].offset], to: base))
    times.pts = times.pts.map { $0.addingClamped(shift) }
    times.dts = times.dts.map { $0.addingClamped(shift) }
    guard isMedia else {
      times.dts = times.dts ?? times.pts
      return
    }
    closeJump(&times, index, base)
    advance(&times, index, stream, base)
  }

  private mutating func correctWrap(
    _ times: inout Times, _ index: Int, _ stream: AVStream, _ base: Rational
  ) {
    let bits = stream.pts_wrap_bits
    guard !progress[index].wrapIsCorrected, let containerStart, (1..<63).contains(bits) else {
      return
    }
    let start = Self.microseconds.convert(containerStart, to: base)
    let period = Int64(1) << Int64(bits)
    let half = start.addingClamped(period / 2)
    progress[index].wrapIsCorrected = true
    if let dts = times.dts, dts > half {
      times.dts = dts - period
      progress[index].wrapIsCorrected = false
    }
    if let pts = times.pts, pts > half {
      times.pts = pts - period
      progress[index].wrapIsCorrected = false
    }
  }

  private mutating func closeJump(_ times: inout Times, _ index: Int, _ base: Rational) {
    guard let dts = times.dts else { return }
    let time = base.convert(dts, to: Self.microseconds)
    if let next = progress[index].next {
      let delta = time.subtractingClamped(next)
      if allowsDiscontinuities {
        if delta.magnitude > Self.jump || time.addingClamped(100_000) < progress[index].last {
          close(delta, &times, index, base)
        }
      } else {
        if delta.magnitude > Self.error { times.dts = nil }
        if let pts = times.pts,
          base.convert(pts, to: Self.microseconds).subtractingClamped(next).magnitude > Self.error
        {
          times.pts = nil
        }
      }
    } else if allowsDiscontinuities, let lastTime {
      let delta = time.subtractingClamped(lastTime)
      if delta.magnitude > Self.jump { close(delta, &times, index, base) }
    }
    lastTime = times.dts.map { base.convert($0, to: Self.microseconds) } ?? lastTime
  }

  /// Closes a jump of `delta` microseconds, with the offset that another stream needed for it, or with a new one.
  ///
  /// A gap stays.
  private mutating func close(
    _ delta: Int64, _ times: inout Times, _ index: Int, _ base: Rational
  ) {
    let current = offsets[progress[index].offset]
    func distance(_ offset: Int64) -> UInt64 {
      delta.addingClamped(offset.subtractingClamped(current)).magnitude
    }
    var chosen = progress[index].offset
    // A jump that others came upon before, or the end of one that was a mistake.
    let known = offsets.indices.filter {
      distance(offsets[$0]) <= UInt64($0 > chosen ? Self.jump : Self.mistake)
    }
    if let known = known.min(by: { distance(offsets[$0]) < distance(offsets[$1]) }),
      distance(offsets[known]) < delta.magnitude
    {
      chosen = known
    } else if (0...Self.gap).contains(delta) {
      return
    } else if offsets.count < Self.mostOffsets {
      offsets.append(current.subtractingClamped(delta))
      chosen = offsets.count - 1
    }
    let step = Self.microseconds.convert(
      offsets[chosen].subtractingClamped(current), to: base)
    progress[index].offset = chosen
    times.dts = times.dts.map { $0.addingClamped(step) }
    times.pts = times.pts.map { $0.addingClamped(step) }
  }

  private mutating func advance(
    _ times: inout Times, _ index: Int, _ stream: AVStream, _ base: Rational
  ) {
    let parameters = stream.codecpar.pointee
    let rate = Rational(
      stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate)
    var state = progress[index]
    let isFirst = !state.sawFirst
    if isFirst {
      state.sawFirst = true
      let delay = rate.isPositive ? rate.inverse : .unknown
      state.last =
        delay.isPositive
        ? -delay.convert(Int64(max(0, parameters.video_delay)), to: Self.microseconds) : 0
      if let pts = times.pts {
        state.last = state.last.addingClamped(base.convert(pts, to: Self.microseconds))
      }
    } else if let next = state.next {
      state.last = next
    }
    let isTimed = times.dts != nil || times.pts != nil
    if let dts = times.dts {
      state.last = base.convert(dts, to: Self.microseconds)
    } else {
      times.dts = state.nextDTS ?? Self.microseconds.convert(state.last, to: base)
    }
    state.nextDTS = times.duration > 0 ? times.dts?.addingClamped(times.duration) : nil
    var length: Int64 = 0
    if times.duration > 0 {
      length = base.convert(times.duration, to: Self.microseconds)
    } else if parameters.codec_type == AVMEDIA_TYPE_AUDIO {
      if parameters.sample_rate > 0 {
        length =
          Int64(AV_TIME_BASE) * Int64(max(0, parameters.frame_size))
          / Int64(parameters.sample_rate)
      }
    } else if rate.isPositive {
      length = rate.inverse.convert(1, to: Self.microseconds)
    }
    state.next = state.last.addingClamped(length)
    progress[index] = state
    if parameters.codec_type == AVMEDIA_TYPE_AUDIO, length == 0, !isTimed, !isFirst {
      // Only decoding shows the duration of a packet (Shorten): the decoder counts from the first one.
      times.dts = nil
      return
    }
    if times.pts == nil,
      parameters.codec_type == AVMEDIA_TYPE_AUDIO || Self.isInOrder(parameters)
    {
      times.pts = times.dts
    }
  }

  /// Returns `true` if frames are shown in the order in which they are coded.
  private static func isInOrder(_ parameters: AVCodecParameters) -> Bool {
    guard let descriptor = avcodec_descriptor_get(parameters.codec_id) else { return false }
    return descriptor.pointee.props & Int32(AV_CODEC_PROP_REORDER) == 0
  }
}
