public import RespoolMedia

/// Clips one after the other, each fading into the next where that is asked for.
///
/// The pictures have the upright size of the first one, into which the others are fitted, and come when they come
/// in their clips. A clip without picture leaves black, one without sound silence. Of each clip the first
/// moving picture, the first sound, the first text and the first timed metadata that are not switched off are
/// taken, and its chapters; tags are the first clip's.
public struct ClipSequence: Sendable {
  public let composition: MutableComposition
  /// What of the clips is left out, a sentence each.
  public let losses: [String]
  /// Why the clips cannot be joined as they are stored and still be seen as `videoComposition` shows them: their
  /// pictures have other sizes or are turned otherwise; nil where they have one shape.
  public let shapeDifference: String?
  /// Nil where no clip has a picture.
  public let videoComposition: VideoComposition?
  /// Nil where no clip has sound.
  public let audioMix: AudioMix?

  /// Joins `clips`, of which there is at least one.
  ///
  /// `crossfade` is how long two clips overlap. A clip ends with its picture where its sound goes on for less than
  /// 0.2 s; `showsPictures` false, for a result in which nobody sees any: with its last track.
  ///
  /// Throws what reading throws, and `invalidArgument` where the crossfade is negative or not numeric, and where a
  /// clip has neither picture nor sound or is too short for the crossfades at its ends, `unsupported` where a clip
  /// does not say how long it is.
  public init(
    _ clips: [Asset], crossfade: MediaTime = .zero, showsPictures: Bool = true
  ) throws(MediaError) {
    guard crossfade.isNumeric, crossfade >= .zero else {
      throw MediaError(
        .invalidArgument, "a crossfade of \(crossfade.seconds) s, not of 0 or more")
    }
    var pieces: [Piece] = []
    for asset in clips {
      let start = pieces.last.map { $0.range.end - crossfade } ?? .zero
      let piece = try Piece(asset, at: start, showsPictures: showsPictures)
      let ends = (pieces.isEmpty ? 0 : 1) + (pieces.count + 1 == clips.count ? 0 : 1)
      let least = crossfade.multiplied(by: Int32(ends))
      guard piece.range.duration >= least else {
        throw MediaError(
          .invalidArgument,
          "it is \(piece.range.duration.seconds) s long, too short for \(ends) crossfades of "
            + "\(crossfade.seconds) s", file: asset.path)
      }
      pieces.append(piece)
    }
    guard !pieces.isEmpty else {
      throw MediaError(.invalidArgument, "there are no clips to be joined")
    }
    let composition = MutableComposition()
    for type in [MediaType.video, .audio] {
      try Self.lay(&pieces, type, into: composition, alternates: crossfade > .zero)
    }
    for type in [MediaType.subtitle, .metadata] {
      try Self.layWhatLasts(pieces, type, into: composition, crossfade)
    }
    Self.describe(composition, pieces)
    self.composition = composition
    losses = Self.losses(of: pieces)
    shapeDifference = Self.shapeDifference(pieces)
    videoComposition = try Self.pictures(pieces, composition, crossfade)
    audioMix = try Self.mix(pieces, composition, crossfade)
  }

  /// Puts the clips' tracks of one kind into one track, or into two in turn.
  private static func lay(
    _ pieces: inout [Piece], _ type: MediaType, into composition: MutableComposition,
    alternates: Bool
  ) throws(MediaError) {
    var lanes: [Int: MutableCompositionTrack] = [:]
    for index in pieces.indices {
      guard let track = type == .video ? pieces[index].picture : pieces[index].sound else {
        continue
      }
      let lane = alternates ? index % 2 : 0
      guard let target = lanes[lane] ?? composition.addMutableTrack(withMediaType: type) else {
        throw MediaError(.internal, "no track of \(type.rawValue) can be made")
      }
      lanes[lane] = target
      try target.insertTimeRange(pieces[index].source, of: track, at: pieces[index].range.start)
      if type == .video {
        pieces[index].pictureLane = target
      } else {
        pieces[index].soundLane = target
      }
    }
  }

  private static func mix(
    _ pieces: [Piece], _ composition: MutableComposition, _ crossfade: MediaTime
  ) throws(MediaError) -> AudioMix? {
    let lanes = composition.mutableTracks.filter { $0.mediaType == .audio }
    guard !lanes.isEmpty else { return nil }
    guard crossfade > .zero else { return AudioMix() }
    var all: [AudioMixInputParameters] = []
    for lane in lanes {
      let parameters = MutableAudioMixInputParameters(track: lane)
      for (index, piece) in pieces.enumerated() where piece.soundLane === lane {
        if index > 0 {
          try parameters.setVolumeRamp(
            fromStartVolume: 0, toEndVolume: 1,
            timeRange: TimeRange(start: piece.range.start, duration: crossfade))
        }
        if index < pieces.count - 1 {
          try parameters.setVolumeRamp(
            fromStartVolume: 1, toEndVolume: 0,
            timeRange: TimeRange(start: piece.range.end - crossfade, duration: crossfade))
        }
      }
      all.append(parameters)
    }
    return AudioMix(inputParameters: all)
  }
}

extension ClipSequence {
  /// A clip, what of it is taken, and where it is put.
  struct Piece {
    let fileName: String
    let picture: AssetTrack?
    let sound: AssetTrack?
    let text: AssetTrack?
    let timedMetadata: AssetTrack?
    /// What else the clip tells.
    let media: MediaDescription
    /// What of the clip is left out, a sentence each.
    let losses: [String]
    /// On the clip's own time line.
    let source: TimeRange
    /// On that of the sequence.
    let range: TimeRange
    var pictureLane: MutableCompositionTrack?
    var soundLane: MutableCompositionTrack?

    init(_ asset: Asset, at start: MediaTime, showsPictures: Bool) throws(MediaError) {
      let tracks = try asset.tracks().filter(\.isEnabled)
      picture = tracks.first { $0.description.isMovingPicture }
      sound = tracks.first { $0.mediaType == .audio }
      text = tracks.first { $0.mediaType == .subtitle }
      timedMetadata = tracks.first { $0.description.isTimedMetadata }
      media = try asset.mediaDescription()
      let taken = [picture, sound, text, timedMetadata].compactMap { $0?.index }
      fileName = FileName.last(asset.path ?? "a clip")
      let file = fileName
      losses = tracks.filter {
        !taken.contains($0.index)
          && ([.video, .audio, .subtitle].contains($0.mediaType) || $0.description.isTimedMetadata)
          && !$0.description.disposition.contains(.attachedPicture)
      }.map {
        "\(file): \(TrackNumber(index: $0.index)) (\($0.description.codec)) is left out: one track of a kind is joined"
      }
      guard picture != nil || sound != nil else {
        throw MediaError(
          .invalidArgument, "neither picture nor sound is in it", file: asset.path)
      }
      // In the unit of the media: with others there would soon be none that all times have in common.
      let scale = ((showsPictures ? picture : nil) ?? sound ?? picture)?.naturalTimeScale ?? 600
      let whole = try asset.duration().convertScale(max(1, scale), method: .default)
      if whole == .zero {
        throw MediaError(
          .malformed, "no packet of its tracks can be read, so that there is nothing to join",
          file: asset.path)
      }
      guard whole.isNumeric, whole > .zero else {
        throw MediaError(.unsupported, "it does not say how long it is", file: asset.path)
      }
      source = Self.span(of: showsPictures ? picture : nil, whole)
      range = TimeRange(start: start, duration: source.duration)
    }

    /// Sound is mostly a little longer than the picture; to show black for that long would be a flash.
    private static func span(of picture: AssetTrack?, _ whole: MediaTime) -> TimeRange {
      let all = TimeRange(start: .zero, end: whole)
      guard let seen = picture?.timeRange, seen.isValid, seen.start.isNumeric,
        seen.duration.isNumeric, !seen.isEmpty
      else { return all }
      let slack = MediaTime(value: 1, timescale: 5)
      return TimeRange(
        start: seen.start > .zero && seen.start <= slack ? seen.start : .zero,
        end: whole > seen.end && whole - seen.end <= slack ? seen.end : whole)
    }
  }
}
