import CAVFilter
import FFmpeg
import RespoolPlugin

/// The common base class of libavfilter's filters.
///
/// Subclasses provide the specification, and the results of filters that measure.
class LibraryFilter: Filter {
  /// Filter of libavfilter and its use.
  class var specification: Specification {
    Specification("null", "Passes frames on", video: Formats.movedDeep)
  }

  class var description: FactoryDescription { specification.description }

  let track: TrackDescription
  private let input: TrackDescription
  private let job: PluginJob
  private let graph: FilterGraph
  private let fieldChange: FieldChange
  /// Frames that may come out for one that goes in; a gap of more than an hour is damage.
  private let most: Int
  private var count = 0
  /// Time at which the last frame that came in ends.
  private var end: Int64?
  /// Metadata of the last frame that had any, by key.
  private(set) var measured: [String: String] = [:]

  required init(settings: FilterSettings) throws(MediaError) {
    let specification = Self.specification
    graph = try FilterGraph(specification, settings)
    (input, job) = (settings.track, settings.job)
    var track = graph.outputTrack(for: input)
    fieldChange = specification.rowMovement.change(
      from: input, to: track, specification.fixedOptions + settings.options)
    track.fieldOrder = fieldChange.order(after: input.fieldOrder)
    self.track = track
    guard
      track.kind != .video
        || (1...32768).contains(track.width) && (1...32768).contains(track.height)
    else {
      throw MediaError(
        .invalidArgument,
        "\(specification.name) makes frames of \(track.width)x\(track.height); each side can be 1 to "
          + "32768")
    }
    let rate = track.frameRate.doubleValue
    guard rate <= 1000 || rate <= 2 * input.frameRate.doubleValue else {
      throw MediaError(
        .invalidArgument,
        "\(specification.name) makes \(Int(rate)) frames a second; 1000 is the maximum")
    }
    most = track.kind == .video ? max(1000, Int(3600 * rate)) : .max
  }

  var results: [FilterResult] { [] }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    count = 0
    guard let frame else {
      try graph.end(at: end)
      return .accepted
    }
    end = frame.pts.map { $0 &+ max(0, frame.duration) }
    let lent = try frame.lent(to: input)
    defer {
      var unused: UnsafeMutablePointer<AVFrame>? = lent
      av_frame_free(&unused)
    }
    try graph.send(lent)
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    if job.isCancelled { throw MediaError(.cancelled, "stopped") }
    switch try graph.receive() {
    case .needsInput: return .needsInput
    case .end: return .end
    case .value(let reference):
      count += 1
      measure(reference.pointer)
      var frame = try Frame(adopting: reference, isVideo: input.kind == .video)
      guard count <= most else {
        throw MediaError(
          .limitExceeded,
          "\(Self.specification.name) fills a gap of more than an hour between two frames")
      }
      fieldChange.apply(to: &frame.flags)
      return .value(frame)
    }
  }

  private func measure(_ frame: UnsafeMutablePointer<AVFrame>) {
    guard Self.specification.flags.contains(.measuresOnly), let metadata = frame.pointee.metadata
    else { return }
    var entry = av_dict_get(metadata, "", nil, AV_DICT_IGNORE_SUFFIX)
    while let found = entry {
      measured[String(cString: found.pointee.key)] = String(cString: found.pointee.value)
      entry = av_dict_get(metadata, "", found, AV_DICT_IGNORE_SUFFIX)
    }
  }
}
