public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", filters: [BrightnessFilter.self])
    .table(for: host)
}

/// A filter that changes the brightness of video by a number of levels.
///
/// Replace `send` by your filter, and the formats and options in `description`. The host converts frames to a format that
/// the filter lists.
final class BrightnessFilter: Filter {
  private static let formats: [PixelFormat] = [.yuv420p, .yuv422p, .yuv444p, .gray]

  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .filter, name: "template", longName: "Brightness of video (Template)")
    description.filteredMedia = .video
    description.pixelFormats = formats
    description.options = [
      OptionSchema(
        "level", .int(-255...255), default: "16", help: "Change of the brightness in levels")
    ]
    return description
  }

  /// The frames that come out.
  let track: TrackDescription
  private let level: Int
  private var waiting: Frame?
  private var isDraining = false

  // The host has checked the options against the description. An option that is not set is missing.
  init(settings: FilterSettings) throws(MediaError) {
    track = settings.track
    guard Self.formats.contains(track.pixelFormat) else {
      throw MediaError(
        .unsupported, "the pixel format is \(track.pixelFormat.name), which is not filtered")
    }
    level = settings[option: "level"].flatMap { Int($0) } ?? 16
  }

  // The memory of a frame that comes in belongs to others: a filter writes to a new one.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    guard let layout = frame.pixelFormat.layout,
      var brighter = Frame(
        pixelFormat: frame.pixelFormat, width: frame.width, height: frame.height, pts: frame.pts)
    else { throw MediaError(.unsupported, "there is no memory for the frame") }
    brighter.duration = frame.duration
    brighter.flags = frame.flags
    brighter.sampleAspect = frame.sampleAspect
    brighter.color = frame.color
    for index in frame.planes.indices {
      let (from, to) = (frame.planes[index], brighter.planes[index])
      let change = index == 0 ? level : 0  // Luma only.
      for y in 0..<layout.height(ofPlane: index, for: frame.height) {
        for x in 0..<layout.rowBytes(ofPlane: index, for: frame.width) {
          let value = from.base.load(fromByteOffset: y * from.stride + x, as: UInt8.self)
          to.base.storeBytes(
            of: UInt8(clamping: Int(value) + change), toByteOffset: y * to.stride + x,
            as: UInt8.self)
        }
      }
    }
    waiting = brighter
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    guard let frame = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(frame)
  }
}
