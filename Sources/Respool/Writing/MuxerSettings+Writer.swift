import RespoolMedia

extension MuxerSettings {
  /// Settings for a file that a writer writes, with the tracks of all its inputs.
  init(_ configuration: AssetWriter.Configuration) {
    self.init()
    isOptimizedForNetwork = configuration.isOptimizedForNetwork
    cutsAtDuration = true
    fragmentInterval = Self.seconds(configuration.fragmentInterval, upTo: 3600)
    firstFragmentInterval = Self.seconds(configuration.firstFragmentInterval, upTo: 3600)
    firstFragmentNumber = UInt32(clamping: configuration.firstFragmentNumber)
    durationHint = Self.seconds(configuration.durationHint, upTo: Double(Int32.max))
    if configuration.isSegmented {
      segmentFormat =
        switch configuration.profile {
        case nil: .fragmentedMP4
        case .mpeg4AppleHLS: .appleHLS
        case .mpeg4CMAFCompliant: .cmaf
        }
      isCombinable = configuration.isCombinable
    }
    if configuration.movieTimeScale > 0 { timeScale = Int32(configuration.movieTimeScale) }
    let inputs = configuration.inputs
    tracks = inputs.map { input in
      let group = configuration.groups.firstIndex { $0.inputs.contains { $0 === input } }
      return Track(input, group: group, of: inputs)
    }
  }

  fileprivate static func seconds(_ time: MediaTime, upTo limit: Double) -> Double? {
    time.isNumeric && time > .zero ? min(time.seconds, limit) : nil
  }
}

extension MuxerSettings.Track {
  fileprivate init(_ input: AssetWriterInput, group: Int?, of inputs: [AssetWriterInput]) {
    self.init()
    if input.mediaTimeScale > 0 { timeScale = Int32(clamping: input.mediaTimeScale) }
    if input.preferredVolume != 1 { volume = min(max(0, Double(input.preferredVolume)), 127) }
    isEnabled = input.marksOutputTrackAsEnabled
    let size = input.naturalSize
    if size.width >= 1, size.height >= 1, size.width <= 65535, size.height <= 65535 {
      naturalSize = .init(width: Double(size.width), height: Double(size.height))
    }
    chunkDuration = MuxerSettings.seconds(input.preferredMediaChunkDuration, upTo: 3600)
    chunkAlignment = Int64(max(1, input.preferredMediaChunkAlignment))
    precedesMainMediaData = input.mediaDataLocation == .beforeMainMediaDataNotInterleaved
    // Numbers up to 15 are those that muxers choose.
    alternateGroup = group.map { Int16(clamping: $0 + 16) }
    references = input.configuration.associations.compactMap { association in
      let target = inputs.firstIndex { $0 === association.input }
      return target.map { .init(type: FourCC(association.type.rawValue), track: $0) }
    }
  }
}
