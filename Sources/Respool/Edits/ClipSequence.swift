public import RespoolMedia

/// Clips one after another, optionally with crossfades.
///
/// Frames have the upright size of the first clip's, with those of other clips fitted into it, and keep their times
/// in the clips. A clip without video is black, one without audio is silent. The sequence has the chapters of all
/// clips and the tags of the first. From each clip it takes the first enabled track of each kind: video, audio, text
/// and timed metadata.
public struct ClipSequence: Sendable {
  public let composition: MutableComposition
  /// Parts of the clips that are left out; one sentence each.
  public let losses: [String]
  /// Reason why clips joined by pass-through would not look as `videoComposition` shows them: frame sizes, pixel
  /// aspect ratios or rotations differ.
  ///
  /// `nil` if they are all the same.
  public let formatDifference: String?
  /// Video composition of the sequence.
  ///
  /// `nil` if no clip has video.
  public let videoComposition: VideoComposition?
  /// Audio mix of the sequence.
  ///
  /// `nil` if no clip has audio.
  public let audioMix: AudioMix?

  /// Joins the clips `assets`, at least one.
  ///
  /// `crossfade` is the time for which two clips overlap. A clip ends with its video if its audio is longer by at
  /// most 0.2 s. If `showsPictures` is `false`, for a result without video, it ends with its last track.
  ///
  /// Throws errors of reading. Throws `invalidArgument`:
  /// - if there are no clips,
  /// - if the crossfade is negative or not numeric,
  /// - if a clip has neither video nor audio,
  /// - if a clip is too short for the crossfades at its ends.
  ///
  /// Throws `malformed` if no packet of a clip can be read, `unsupported` if the duration of a clip is unknown.
  public init(
    _ assets: [Asset], crossfade: MediaTime = .zero, showsPictures: Bool = true
  ) throws(MediaError) {
    guard crossfade.isNumeric, crossfade >= .zero else {
      throw MediaError(
        .invalidArgument, "the crossfade is \(crossfade.seconds) s long; it must be 0 or more")
    }
    var clips: [Clip] = []
    for asset in assets {
      let start = clips.last.map { $0.range.end - crossfade } ?? .zero
      let clip = try Clip(asset, at: start, showsPictures: showsPictures)
      let ends = (clips.isEmpty ? 0 : 1) + (clips.count + 1 == assets.count ? 0 : 1)
      let least = crossfade.multiplied(by: Int32(ends))
      guard clip.range.duration >= least else {
        throw MediaError(
          .invalidArgument,
          "the clip is \(clip.range.duration.seconds) s long, too short for \(ends) crossfades of "
            + "\(crossfade.seconds) s", file: asset.path)
      }
      clips.append(clip)
    }
    guard !clips.isEmpty else {
      throw MediaError(.invalidArgument, "there are no clips to join")
    }
    let composition = MutableComposition()
    for type in [MediaType.video, .audio] {
      try Self.lay(&clips, type, into: composition, alternates: crossfade > .zero)
    }
    for type in [MediaType.subtitle, .metadata] {
      try Self.writeLastingSamples(clips, type, into: composition, crossfade)
    }
    Self.describe(composition, clips, crossfade)
    self.composition = composition
    losses = Self.losses(of: clips, crossfade)
    formatDifference = Self.formatDifference(clips)
    videoComposition = try Self.videoComposition(clips, composition, crossfade)
    audioMix = try Self.mix(clips, composition, crossfade)
  }

  /// Inserts the clips' tracks of one kind into one track, or alternately into two.
  private static func lay(
    _ clips: inout [Clip], _ type: MediaType, into composition: MutableComposition,
    alternates: Bool
  ) throws(MediaError) {
    var lanes: [Int: MutableCompositionTrack] = [:]
    for index in clips.indices {
      guard let track = type == .video ? clips[index].video : clips[index].audio else {
        continue
      }
      let lane = alternates ? index % 2 : 0
      guard let target = lanes[lane] ?? composition.addMutableTrack(withMediaType: type) else {
        throw MediaError(.internal, "no \(type.rawValue) track can be added")
      }
      lanes[lane] = target
      try target.insertTimeRange(clips[index].source, of: track, at: clips[index].range.start)
      if type == .video {
        clips[index].videoLane = target
      } else {
        clips[index].audioLane = target
      }
    }
  }

  private static func mix(
    _ clips: [Clip], _ composition: MutableComposition, _ crossfade: MediaTime
  ) throws(MediaError) -> AudioMix? {
    let lanes = composition.mutableTracks.filter { $0.mediaType == .audio }
    guard !lanes.isEmpty else { return nil }
    guard crossfade > .zero else { return AudioMix() }
    var all: [AudioMixInputParameters] = []
    for lane in lanes {
      let parameters = MutableAudioMixInputParameters(track: lane)
      for (index, clip) in clips.enumerated() where clip.audioLane === lane {
        if index > 0 {
          try parameters.setVolumeRamp(
            fromStartVolume: 0, toEndVolume: 1,
            timeRange: TimeRange(start: clip.range.start, duration: crossfade))
        }
        if index < clips.count - 1 {
          try parameters.setVolumeRamp(
            fromStartVolume: 1, toEndVolume: 0,
            timeRange: TimeRange(start: clip.range.end - crossfade, duration: crossfade))
        }
      }
      all.append(parameters)
    }
    return AudioMix(inputParameters: all)
  }
}

extension ClipSequence {
  /// A clip with its tracks, its source range and its range in the sequence.
  struct Clip {
    let fileName: String
    let video: AssetTrack?
    let audio: AssetTrack?
    let text: AssetTrack?
    let timedMetadata: AssetTrack?
    /// Description of the clip's media, with its tags and chapters.
    let media: MediaDescription
    /// Parts of the clip that are left out; one sentence each.
    let losses: [String]
    /// Range on the clip's own time line.
    let source: TimeRange
    /// Range on the time line of the sequence.
    let range: TimeRange
    var videoLane: MutableCompositionTrack?
    var audioLane: MutableCompositionTrack?

    init(_ asset: Asset, at start: MediaTime, showsPictures: Bool) throws(MediaError) {
      let tracks = try asset.tracks().filter(\.isEnabled)
      video = tracks.first { $0.description.isMovingPicture }
      audio = tracks.first { $0.mediaType == .audio }
      text = tracks.first { $0.mediaType == .subtitle }
      timedMetadata = tracks.first { $0.description.isTimedMetadata }
      media = try asset.mediaDescription()
      let taken = [video, audio, text, timedMetadata].compactMap { $0?.index }
      fileName = PathName.last(asset.path ?? "a clip")
      let file = fileName
      losses = tracks.filter {
        !taken.contains($0.index)
          && ([.video, .audio, .subtitle].contains($0.mediaType) || $0.description.isTimedMetadata)
          && !$0.description.disposition.contains(.attachedPicture)
      }.map {
        "\(file): \(TrackNumber(index: $0.index)) (\($0.description.codec)) is left out: only "
          + "one track of each kind is joined"
      }
      guard video != nil || audio != nil else {
        throw MediaError(
          .invalidArgument, "the clip has neither video nor audio", file: asset.path)
      }
      // Uses the time base of the media: sums of times in several time bases soon have no common time base.
      let scale = ((showsPictures ? video : nil) ?? audio ?? video)?.naturalTimeScale ?? 600
      let whole = try asset.duration().convertScale(max(1, scale), method: .default)
      if whole == .zero {
        throw MediaError(
          .malformed, "no packet of the clip can be read",
          file: asset.path)
      }
      guard whole.isNumeric, whole > .zero else {
        throw MediaError(.unsupported, "the clip states no duration", file: asset.path)
      }
      source = Self.span(of: showsPictures ? video : nil, whole)
      range = TimeRange(start: start, duration: source.duration)
    }

    /// Returns the range to use, without audio that is slightly longer than the video.
    ///
    /// Such audio is common; the black frames for it would look like a flash.
    private static func span(of video: AssetTrack?, _ whole: MediaTime) -> TimeRange {
      let all = TimeRange(start: .zero, end: whole)
      guard let seen = video?.timeRange, seen.isValid, seen.start.isNumeric,
        seen.duration.isNumeric, !seen.isEmpty
      else { return all }
      let slack = MediaTime(value: 1, timescale: 5)
      return TimeRange(
        start: seen.start > .zero && seen.start <= slack ? seen.start : .zero,
        end: whole > seen.end && whole - seen.end <= slack ? seen.end : whole)
    }
  }
}
