import RespoolMedia

/// Options that a writer passes to its muxer, limited to those that the muxer has.
struct MuxerOptions: Sendable {
  private let names: Set<String>
  private let ofMovie: [MetadataEntry]
  /// Settings of each input's track, as `key=value`.
  private let ofTracks: [[String]]
  /// Track references of each input, with indices of inputs as targets.
  private let references: [[(type: String, input: Int)]]

  init(
    _ muxer: PluginFactory, _ configuration: AssetWriter.Configuration,
    inputs: [AssetWriterInput], groups: [AssetWriterInputGroup]
  ) {
    names = Set(muxer.description.options.map(\.name))
    var entries = [
      MetadataEntry("faststart", configuration.isOptimizedForNetwork ? "true" : "false"),
      MetadataEntry("cut-at-duration", "true"),
    ]
    let interval = configuration.fragmentInterval
    if interval.isNumeric, interval > .zero {
      entries.append(MetadataEntry("fragment-interval", "\(min(interval.seconds, 3600))"))
    }
    let first = configuration.firstFragmentInterval
    if first.isNumeric, first > .zero {
      entries.append(MetadataEntry("first-fragment-interval", "\(min(first.seconds, 3600))"))
    }
    if configuration.firstFragmentNumber != 1 {
      entries.append(
        MetadataEntry("first-fragment-number", "\(configuration.firstFragmentNumber)"))
    }
    let hint = configuration.durationHint
    if hint.isNumeric, hint > .zero {
      entries.append(MetadataEntry("duration-hint", "\(min(hint.seconds, 2_147_483_647))"))
    }
    if configuration.isSegmented {
      let style =
        switch configuration.profile {
        case nil: "plain"
        case .mpeg4AppleHLS: "hls"
        case .mpeg4CMAFCompliant: "cmaf"
        }
      entries.append(MetadataEntry("segments", style))
      if configuration.isCombinable { entries.append(MetadataEntry("combinable", "true")) }
    }
    if configuration.movieTimeScale > 0 {
      entries.append(MetadataEntry("movie-time-scale", "\(configuration.movieTimeScale)"))
    }
    ofMovie = entries
    ofTracks = inputs.map { input in
      var words: [String] = []
      if input.mediaTimeScale > 0 { words.append("time-scale=\(input.mediaTimeScale)") }
      if input.preferredVolume != 1 { words.append("volume=\(input.preferredVolume)") }
      if !input.marksOutputTrackAsEnabled { words.append("enabled=false") }
      let size = input.naturalSize
      if size.width >= 1, size.height >= 1, size.width <= 65535, size.height <= 65535 {
        words.append("size=\(size.width)x\(size.height)")
      }
      let chunk = input.preferredMediaChunkDuration
      if chunk.isNumeric, chunk > .zero { words.append("chunk=\(min(chunk.seconds, 3600))") }
      if input.preferredMediaChunkAlignment > 1 {
        words.append("align=\(input.preferredMediaChunkAlignment)")
      }
      if input.mediaDataLocation == .beforeMainMediaDataNotInterleaved {
        words.append("first=true")
      }
      if let group = groups.firstIndex(where: { $0.inputs.contains { $0 === input } }) {
        words.append("group=\(group + 16)")
      }
      return words
    }
    references = inputs.map { input in
      input.configured(\.associations).compactMap { association in
        let target = inputs.firstIndex { $0 === association.input }
        return target.map { (association.type.rawValue, $0) }
      }
    }
  }

  /// Returns the options for a file that has the tracks of these inputs, in that order.
  func entries(for included: [Int]) -> [MetadataEntry] {
    let tracks = included.map { index -> String in
      guard ofTracks.indices.contains(index) else { return "" }
      let referred = references[index].compactMap { reference in
        included.firstIndex(of: reference.input).map { "ref=\(reference.type):\($0)" }
      }
      return (ofTracks[index] + referred).joined(separator: ",")
    }
    var entries = ofMovie
    if tracks.contains(where: { !$0.isEmpty }) {
      entries.append(MetadataEntry("tracks", tracks.joined(separator: ";")))
    }
    return entries.filter { names.contains($0.name) }
  }
}
