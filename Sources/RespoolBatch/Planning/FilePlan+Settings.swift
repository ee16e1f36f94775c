import Respool
import RespoolMedia

extension FilePlan {
  /// The plan for a file that was read.
  init(_ settings: ResolvedSettings, _ media: MediaDescription?) {
    let duration = Double(media?.duration ?? 0) / 1e9
    if let reason = settings.skipReason {
      self.init(action: .skip, reason: reason)
      return
    }
    if let media, media.tracks.contains(where: { $0.disposition.contains(.stillImage) }),
      !media.tracks.contains(where: { $0.isMovingPicture || $0.kind == .audio })
    {
      self.init(action: .skip, reason: "a still image")
      return
    }
    var cost = 0.0
    for track in settings.outputTracks {
      switch track.action {
      case .convertVideo(let video):
        // Coding a picture outweighs everything else; a second of sound is like a small picture.
        cost += duration * Double(video.width * video.height) * max(1, video.frameRate.doubleValue)
      case .convertAudio(let audio): cost += duration * Double(audio.sampleRate)
      case .convertCaptions, .passThrough, .drop: cost += duration
      }
    }
    self.init(
      action: settings.isPassThroughOnly ? .copy : .convert,
      outputExtension: settings.fileExtension, duration: duration, cost: cost)
  }

  /// The plan for a file that could not be read: what is not media is skipped, what is broken fails.
  init(_ error: MediaError) {
    var reason = error
    reason.file = nil
    let isForeign = error.code == .unsupported && error.path == nil && error.track == nil
    self.init(action: isForeign ? .skip : .fail, reason: reason.description)
  }
}
