import RespoolMedia

/// The arguments of ``PresetResolver``, which every rule reads.
struct ResolutionInput {
  /// The preset for this source: it has no variants for other sources.
  let preset: Preset
  let source: MediaDescription
  /// Size of the source in bytes; `nil` if it is not a file.
  let size: Int64?
  let available: AvailablePlugins
  /// Muxer of the preset's container.
  let factory: AvailablePlugins.Factory
  /// Reasons why tracks cannot be copied, by index.
  let uncopied: [Int: String]
  /// Indexes of composition tracks whose segments are parts of their source tracks.
  let cutClips: Set<Int>
  /// Properties that frames of tracks were seen to have, by index.
  let seen: [Int: SeenFrames]
  /// `true` if frames can be looked at before the conversion: those of a whole file.
  let showsFrames: Bool
  /// `true` if other files are converted at the same time.
  let isOneOfMany: Bool

  var muxer: FactoryDescription { factory.description }

  /// `true` if a file of the muxer is one picture.
  var writesStills: Bool { muxer.flags.contains(.writesStills) }

  /// Returns the reason why the muxer does not accept a track; `nil` if it does.
  func refusal(of track: TrackDescription) -> String? {
    available.refusal(of: factory, for: track)
  }

  /// Returns the description of the best encoder of `codec`; `nil` if there is none.
  func encoder(of codec: String) -> FactoryDescription? {
    available.encoders(for: codec).first?.description
  }
}
