import Glibc
public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", filters: [GainFilter.self])
    .table(for: host)
}

/// A filter that changes the level of audio by a number of decibels.
///
/// Replace `send` by your filter, and the formats and options in `description`. The host converts frames to a format that
/// the filter lists.
final class GainFilter: Filter {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .filter, name: "template", longName: "Level of audio (Template)")
    description.filteredMedia = .audio
    description.sampleFormats = [.flt]
    description.options = [
      OptionSchema(
        "gain", .number(-60...60), default: "-6", help: "Change of the level in decibels")
    ]
    return description
  }

  /// The frames that come out.
  let track: TrackDescription
  private let factor: Float
  private var waiting: Frame?
  private var isDraining = false

  // The host has checked the options against the description. An option that is not set is missing.
  init(settings: FilterSettings) throws(MediaError) {
    track = settings.track
    guard track.sampleFormat == .flt else {
      throw MediaError(
        .unsupported, "the sample format is \(track.sampleFormat.name); flt is filtered")
    }
    let gain = settings[option: "gain"].flatMap(Double.init) ?? -6
    factor = Float(pow(10, gain / 20))
  }

  // The memory of a frame that comes in belongs to others: a filter writes to a new one.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame, let plane = frame.planes.first else {
      isDraining = true
      return .accepted
    }
    guard
      var louder = Frame(
        sampleFormat: .flt, channelLayout: track.channelLayout, sampleRate: track.sampleRate,
        sampleCount: frame.sampleCount, pts: frame.pts)
    else { return .accepted }
    louder.duration = frame.duration
    let size = frame.sampleCount * track.channelLayout.channelCount * 4
    for at in stride(from: 0, to: size, by: 4) {
      let value = plane.base.load(fromByteOffset: at, as: Float.self)
      louder.buffer.bytes.storeBytes(of: value * factor, toByteOffset: at, as: Float.self)
    }
    waiting = louder
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    guard let frame = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(frame)
  }
}
