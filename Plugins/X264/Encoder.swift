import CX264
import RespoolPlugin
import VideoEncoding

/// An encoder for H.264 with libx264.
final class X264Encoder: Encoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .encoder, name: "x264", longName: "H.264 by libx264")
    about.tier = .preferred
    // With frame threads, the range of motion vectors depends on the number of frames coded at once.
    about.flags = [.threadsChangeOutput, .keepsCaptions, .lowDelay, .twoPasses]
    about.aliases = ["libx264"]
    about.codecs = ["h264"]
    about.options = EncoderOptions.all
    about.pixelFormats = FrameFormat.all.map(\.pixelFormat)
    about.rateControl = RateControl(
      .video, quality: .init(0...51, isLowerBetter: true, usual: Parameters.usualQuality),
      bitRates: Parameters.bitRates)
    return about
  }()

  private(set) var track: TrackDescription

  private let log = MessageLog()
  private let sink: UnsafeMutablePointer<cx264_log>
  private let encoder: OpaquePointer
  private let format: FrameFormat
  private let openedFormat: OpenedFormat
  private let isInterlaced: Bool
  private var clock: FrameClock
  private var decodingTimes: DecodingTimes
  /// x264's version and options as an SEI unit, to insert before the first packet.
  private var identification: [UInt8] = []
  private var waiting: Packet?
  private var isDraining = false
  /// Path of the file with statistics that is written; `nil` unless this is the first of two passes.
  private let statistics: String?
  private var isClosed = false

  init(settings: EncoderSettings) throws(MediaError) {
    clock = FrameClock(settings.track)
    sink = .allocate(capacity: 1)
    sink.initialize(to: log.sink)
    var parameters: Parameters
    do throws(MediaError) {
      statistics = settings.pass == .first ? try settings.statisticsPath(of: "x264") : nil
      parameters = try Parameters(
        settings, tick: clock.tick, log: sink, statistics: statistics)
    } catch {
      sink.deallocate()
      throw error
    }
    defer { parameters.free() }
    var noMemory: Int32 = 0
    guard
      let encoder = withUnsafeMutablePointer(
        to: &parameters.value, { cx264_open($0, &noMemory) })
    else {
      let cause = log.takeComplaints().joinedSentence
      sink.deallocate()
      if noMemory != 0 { throw Self.memoryRanOut("x264 could not be opened") }
      throw MediaError(
        .invalidArgument, "x264 could not be opened with these settings", cause: cause)
    }
    self.encoder = encoder
    format = parameters.format
    openedFormat = OpenedFormat(settings.track)
    var actual = x264_param_t()
    x264_encoder_parameters(encoder, &actual)
    isInterlaced = actual.b_interlaced != 0
    let depth = actual.i_bframe == 0 ? 0 : actual.i_bframe_pyramid == 0 ? 1 : 2
    decodingTimes = DecodingTimes(delay: depth)
    track = settings.track
    track.kind = .video
    track.codec = "h264"
    track.codecTag = 0
    track.reorderDepth = depth
    track.bitRate = settings.bitRate ?? 0
    track.fieldOrder =
      !isInterlaced ? .progressive : actual.b_tff != 0 ? .topFirst : .bottomFirst
    for warning in log.takeComplaints() { settings.job.warn(warning) }
    try readHeaders()
  }

  static func memory(for settings: EncoderSettings) -> Int64? {
    var sink = MessageLog.silent
    guard
      var parameters = try? Parameters(
        settings, tick: FrameClock(settings.track).tick, log: &sink)
    else { return nil }
    defer { parameters.free() }
    return parameters.memory
  }

  deinit {
    close()
    sink.deallocate()
  }

  private func close() {
    if !isClosed { x264_encoder_close(encoder) }
    isClosed = true
  }

  /// Splits x264's headers into the configuration record and the SEI unit.
  private func readHeaders() throws(MediaError) {
    var units: UnsafeMutablePointer<x264_nal_t>?
    var count: Int32 = 0
    guard x264_encoder_headers(encoder, &units, &count) >= 0, let units else {
      throw failure("x264 returned no headers")
    }
    var configuration = AVCConfiguration(
      sequenceParameterSet: [], pictureParameterSet: [], format: format)
    for unit in UnsafeBufferPointer(start: units, count: Int(count)) {
      let bytes = UnsafeBufferPointer(start: unit.p_payload, count: Int(unit.i_payload))
      switch unit.i_type {
      case Int32(NAL_SPS.rawValue): configuration.sequenceParameterSet = Array(bytes.dropFirst(4))
      case Int32(NAL_PPS.rawValue): configuration.pictureParameterSet = Array(bytes.dropFirst(4))
      case Int32(NAL_SEI.rawValue): identification += bytes
      default: break
      }
    }
    track.extradata = configuration.record
    track.profile = Int32(configuration.profile)
    track.level = Int32(configuration.level)
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    guard !isDraining else {
      throw MediaError(.invalidArgument, "a frame came after the end")
    }
    try openedFormat.check(frame)
    var picture = x264_picture_t()
    x264_picture_init(&picture)
    picture.i_pts = try clock.enter(frame)
    decodingTimes.add(frame.pts ?? 0)
    picture.i_type = frame.flags.contains(.mustBeKey) ? X264_TYPE_IDR : X264_TYPE_AUTO
    picture.img.i_csp = format.pictureColorSpace
    picture.img.i_plane = Int32(frame.planes.count)
    for (index, plane) in frame.planes.prefix(3).enumerated() {
      guard let stride = Int32(exactly: plane.stride) else {
        throw MediaError(.invalidArgument, "rows of \(plane.stride) bytes are too long for x264")
      }
      cx264_set_plane(&picture, Int32(index), plane.base, stride)
    }
    if isInterlaced {
      picture.i_pic_struct = Int32(
        frame.flags.contains(.interlaced)
          ? (frame.flags.contains(.topFieldFirst)
            ? PIC_STRUCT_TOP_BOTTOM.rawValue : PIC_STRUCT_BOTTOM_TOP.rawValue)
          : PIC_STRUCT_AUTO.rawValue)
    }
    try UserDataMessages.attach(frame.sideData, to: &picture)
    // x264 copies the frame before it returns.
    waiting = try withExtendedLifetime(frame.buffer) { () throws(MediaError) in
      try encode(&picture)
    }
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    while true {
      if let packet = waiting.take() { return .value(packet) }
      guard isDraining else { return .needsInput }
      guard !isClosed else { return .end }
      guard x264_encoder_delayed_frames(encoder) > 0 else {
        guard let statistics else { return .end }
        // The file gets its name now.
        close()
        return .value(Packet(statisticsAt: statistics))
      }
      waiting = try encode(nil)
    }
  }

  private func encode(_ picture: UnsafeMutablePointer<x264_picture_t>?) throws(MediaError)
    -> Packet?
  {
    var units: UnsafeMutablePointer<x264_nal_t>?
    var count: Int32 = 0
    var coded = x264_picture_t()
    var noMemory: Int32 = 0
    let size = cx264_encode(encoder, &units, &count, picture, &coded, &noMemory)
    guard size >= 0 else {
      let message = "x264 could not encode a frame"
      throw noMemory != 0 ? Self.memoryRanOut(message) : failure(message)
    }
    guard size > 0, let units, let first = units.pointee.p_payload else { return nil }
    guard statistics == nil else { return nil }
    guard let times = clock.leave(coded.i_pts) else {
      throw MediaError(.internal, "x264 returned a frame at \(coded.i_pts), which was not sent")
    }
    // The payloads of all units are contiguous (x264.h).
    let buffer = MediaBuffer(count: identification.count + Int(size))
    buffer.bytes.copyBytes(from: identification)
    UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[identification.count...])
      .copyMemory(from: UnsafeRawBufferPointer(start: first, count: Int(size)))
    identification = []
    return Packet(
      track: 0, pts: times.pts, dts: min(decodingTimes.next(), times.pts),
      duration: times.duration, flags: coded.b_keyframe != 0 ? .key : [], payload: .bytes(buffer))
  }

  private static func memoryRanOut(_ message: String) -> MediaError {
    MediaError(.limitExceeded, "memory ran out", cause: message)
  }

  private func failure(_ message: String) -> MediaError {
    MediaError(.pluginFailure, message, cause: log.takeComplaints().joinedSentence)
  }
}
