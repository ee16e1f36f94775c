package import RespoolMedia

extension Preset {
  /// Returns the settings for a source of `size` bytes, and the number of the variant that they are, from 1.
  ///
  /// The number is `nil` if no condition holds. The result has no variants for sources; those for tracks stay.
  package func applied(to media: MediaDescription, size: Int64?) -> (preset: Preset, variant: Int?)
  {
    let index = variants.firstIndex { $0.condition.holds(for: media, size: size) }
    var applied = index.map { variants[$0].settings } ?? self
    applied.variants = []
    (applied.name, applied.summary, applied.path) = (name, summary, path)
    (applied.container, applied.containerOptions) = (container, containerOptions)
    (applied.ancestors, applied.defaultFor) = (ancestors, defaultFor)
    (applied.relativeSize, applied.relativeSpeed) = (relativeSize, relativeSpeed)
    return (applied, index.map { $0 + 1 })
  }

  /// Changes the settings for all sources.
  package mutating func change(_ body: (inout Preset) -> Void) {
    body(&self)
    for index in variants.indices { body(&variants[index].settings) }
  }

  /// Changes the video settings for all sources and tracks; does nothing if there is no video.
  package mutating func changeVideo(_ body: (inout Video) -> Void) {
    change { preset in
      guard var video = preset.video else { return }
      body(&video)
      for index in video.variants.indices { body(&video.variants[index].settings) }
      preset.video = video
    }
  }

  /// Changes the audio settings for all sources and tracks; does nothing if there is no audio.
  package mutating func changeAudio(_ body: (inout Audio) -> Void) {
    change { preset in
      guard var audio = preset.audio else { return }
      body(&audio)
      for index in audio.variants.indices { body(&audio.variants[index].settings) }
      preset.audio = audio
    }
  }

  /// Settings of video for all sources and tracks.
  package var allVideo: [Video] {
    ([self] + variants.map(\.settings)).compactMap(\.video).flatMap {
      [$0] + $0.variants.map(\.settings)
    }
  }

  /// Settings of audio for all sources and tracks.
  package var allAudio: [Audio] {
    ([self] + variants.map(\.settings)).compactMap(\.audio).flatMap {
      [$0] + $0.variants.map(\.settings)
    }
  }
}

/// Settings of a section with variants for some tracks.
protocol VariantSettings: Hashable, Sendable {
  var variants: [Preset.Variant<Self>] { get set }
}

extension Preset.Video: VariantSettings {}
extension Preset.Audio: VariantSettings {}

extension VariantSettings {
  /// Returns the settings for a track, without variants, and records which of them they are.
  func applied(
    to track: TrackDescription, _ input: ResolutionInput, _ recorder: DecisionRecorder
  ) -> Self {
    let index = variants.firstIndex {
      $0.condition.holds(for: track, of: input.source, size: input.size)
    }
    if let index { recorder.recordVariant(index + 1, of: variants.map(\.condition)) }
    var applied = index.map { variants[$0].settings } ?? self
    applied.variants = []
    return applied
  }
}

extension DecisionRecorder {
  /// Records the variant that is used, whose number counts from 1.
  func recordVariant(_ number: Int, of conditions: [MediaCondition]) {
    let count = conditions.count > 1 ? " is the first of \(conditions.count) that holds" : " holds"
    record("when", "\(number)", conditions[number - 1].text + count)
  }
}
