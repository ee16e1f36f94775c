import CSVTAV1
import RespoolPlugin
import VideoEncoding

/// An encoder for AV1 with SVT-AV1.
final class SVTAV1Encoder: Encoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(
      kind: .encoder, name: "svtav1", longName: "AV1 by SVT-AV1 \(Library.version)")
    about.tier = .preferred
    // No two passes: version 1.4 needs three, and the stream of its second one may be damaged.
    about.flags = [.keepsCaptions]
    about.aliases = ["libsvtav1", "svt-av1"]
    about.codecs = ["av1"]
    about.options = EncoderOptions.all
    about.pixelFormats = FrameFormat.all.map(\.pixelFormat)
    about.rateControl = RateControl(
      .video,
      quality: .init(1...63, step: 1, isLowerBetter: true, usual: Library.usualQuality),
      bitRates: Library.bitRates)
    return about
  }()

  private(set) var track: TrackDescription

  private let library: Library
  private let openedFormat: OpenedFormat
  private var clock: FrameClock
  private var waiting: [Packet] = []
  private var state = State.taking
  private var hasFrames = false
  /// Frames that were sent and did not come back yet.
  private var heldCount = 0
  private let job: PluginJob
  /// `true` if every frame is a key frame, for which the library has no parameter.
  private let isIntraOnly: Bool
  private var isHeaderCompared = false
  /// Messages of ITU-T T.35 of frames that are not coded yet, by tick.
  private var messages: [Int64: [UInt8]] = [:]

  private enum State { case taking, draining, ended }

  init(settings: EncoderSettings) throws(MediaError) {
    clock = FrameClock(settings.track)
    library = try Library(settings, tick: clock.tick)
    openedFormat = OpenedFormat(settings.track)
    job = settings.job
    isIntraOnly = settings.keyFrameInterval == 1
    track = settings.track
    track.kind = .video
    track.codec = "av1"
    track.codecTag = 0
    track.reorderDepth = 0
    track.bitRate = settings.bitRate ?? 0
    track.fieldOrder = .progressive
    track.extradata = []
    let configuration = try SequenceProbe.configuration(settings, tick: clock.tick)
    track.extradata = configuration.bytes
    track.profile = Int32(configuration.profile)
    track.level = Int32(configuration.level)
  }

  static func check(_ settings: EncoderSettings) throws(MediaError) {
    _ = try Library(settings, tick: FrameClock(settings.track).tick)
  }

  /// Returns an estimate from measurements of version 1.4: per pixel, 190 bytes and 45 for each thread; 10 bits take 1.4
  /// times as much.
  static func memory(for settings: EncoderSettings) -> Int64? {
    guard let format = try? FrameFormat.of(settings.track) else { return nil }
    let pixels = Double(settings.track.width) * Double(settings.track.height)
    let bytes = Double(190 + 45 * min(max(1, settings.threads), 16))
    return Int64(pixels * bytes * (format.bitDepth > 8 ? 1.4 : 1)) + (30 << 20)
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting.isEmpty else { return .full }
    guard let frame else {
      try drain()
      return .accepted
    }
    guard state == .taking else {
      throw MediaError(.invalidArgument, "a frame came after the end")
    }
    try openedFormat.check(frame)
    // The library waits for ever if an encoder ends that was started and got no frame (1.4).
    if !hasFrames { try library.start() }
    var value = csvtav1_frame()
    value.pts = try clock.enter(frame)
    value.must_be_key = isIntraOnly || frame.flags.contains(.mustBeKey) ? 1 : 0
    for (index, plane) in frame.planes.prefix(3).enumerated() {
      csvtav1_set_plane(&value, Int32(index), plane.base, plane.stride)
    }
    let userData = MetadataUnits.units(frame.sideData)
    if !userData.isEmpty { messages[value.pts] = userData }
    try withExtendedLifetime(frame.buffer) { () throws(MediaError) in
      try library.check(
        csvtav1_send(library.pointer, &value), "SVT-AV1 could not take a frame")
    }
    hasFrames = true
    heldCount += 1
    try collect()
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    while waiting.isEmpty {
      switch state {
      case .taking: return .needsInput
      case .ended: return .end
      case .draining: try collect()
      }
    }
    return .value(waiting.removeFirst())
  }

  private func drain() throws(MediaError) {
    guard state == .taking else { return }
    guard hasFrames else {
      state = .ended
      return
    }
    state = .draining
    try library.check(csvtav1_send_end(library.pointer), "SVT-AV1 could not take the end")
  }

  /// Collects the packets that are ready; while draining, waits for the next one.
  private func collect() throws(MediaError) {
    while state == .draining || heldCount > 0 {
      var coded = csvtav1_packet()
      let status = csvtav1_receive(library.pointer, &coded)
      if status == Int32(CSVTAV1_EMPTY) { return }
      try library.check(status, "SVT-AV1 could not encode a frame")
      defer { csvtav1_release(library.pointer) }
      heldCount -= 1
      if coded.is_last != 0 { state = .ended }
      if coded.bytes.size > 0 { try take(coded) }
      if state != .taking { return }
    }
  }

  private func take(_ coded: csvtav1_packet) throws(MediaError) {
    guard let times = clock.leave(coded.pts) else {
      throw MediaError(.internal, "SVT-AV1 returned a frame at \(coded.pts), which was not sent")
    }
    let unit = UnsafeRawBufferPointer(start: coded.bytes.data, count: coded.bytes.size)
    if !isHeaderCompared { try compareHeader(of: unit) }
    let bytes = MetadataUnits.insert(messages.removeValue(forKey: coded.pts) ?? [], into: unit)
    waiting.append(
      Packet(
        track: 0, pts: times.pts, dts: times.pts, duration: times.duration,
        flags: coded.is_key != 0 ? .key : [], payload: .bytes(bytes)))
  }

  /// Compares the sequence header of the first packet with the one in the configuration record, which is written already.
  private func compareHeader(of unit: UnsafeRawBufferPointer) throws(MediaError) {
    isHeaderCompared = true
    guard let found = try AV1Configuration(units: unit),
      found.sequenceHeader != Array(track.extradata.dropFirst(4))
    else { return }
    job.warn("the configuration record of the track has another sequence header than the stream")
  }
}
