import Glibc
import RespoolMedia

extension ExportConfiguration {
  /// Returns a text of everything that determines the frames of an export, as far as it is known, one line each.
  ///
  /// The behavior of a custom compositor is unknown; only its type is included. `nil` if a file is missing.
  func identity(of asset: Asset, _ settings: ResolvedSettings) throws(MediaError) -> String? {
    var lines = [
      "preset \(settings.preset), \(settings.container), limit \(FileLengthLimit(self, settings)?.bytes ?? 0)"
    ]
    lines.append("from \(timeRange.start) for \(timeRange.duration)")
    lines += rotation.map { ["rotated \($0)"] } ?? []
    var files: Set<String> = []
    for track in try asset.tracks() where track.mediaType == .video {
      for clip in track.clips(in: Self.everything) {
        let path = clip.track.asset?.path
        lines.append(
          "track \(track.trackID): \(clip.track.trackID) of \(path ?? "nothing") from \(clip.source) "
            + "at \(clip.target ?? clip.source), described as \(clip.track.description)")
        if let path { files.insert(path) }
      }
    }
    if let videoComposition { lines += videoComposition.configuration.identity(&files) }
    for track in settings.outputTracks {
      guard case .convertVideo(let conversion) = track.action else { continue }
      lines.append("track \(track.source): \(conversion.identity)")
    }
    for path in files.sorted() {
      var status = stat()
      guard PathName.withSystemPath(path, { stat($0, &status) }) == 0 else { return nil }
      let time = status.st_mtim
      lines.append("file \(path): \(status.st_size) bytes of \(time.tv_sec).\(time.tv_nsec)")
    }
    return lines.joined(separator: "\n")
  }
}

extension VideoConversion {
  /// Text of everything that determines the packets of given frames.
  var identity: String {
    let options = options.map { "\($0.name)=\($0.value)" }
    return
      "\(encoder.plugin) \(encoder.description.name) \(codec) \(width)x\(height) \(sampleAspect) "
      + "\(pixelFormat) \(color) \(rotation) \(fieldOrder) rate \(String(describing: maximumFrameRate)) "
      + "\(subtitles.map { "burnt \($0) " } ?? "")\(frameRate) bits \(bitRate ?? 0) quality \(quality ?? -1) threads \(threads ?? 0) "
      + (passes > 1 ? "passes \(passes) " : "")
      + options.joined(separator: " ")
  }
}

extension VideoComposition.Configuration {
  /// Returns a text of the composition's contents, and adds its image files to `files`.
  fileprivate func identity(_ files: inout Set<String>) -> [String] {
    var lines = [
      "composed \(renderSize) \(renderScale) \(frameDuration) \(timingTrackIDs)",
      "colors \(colorPrimaries ?? 0) \(colorTransferFunction ?? 0) \(colorYCbCrMatrix ?? 0)",
      "compositor \(customVideoCompositorClass.map { "\($0)" } ?? "") \(customVideoCompositor != nil)",
    ]
    for overlay in overlays {
      lines.append("overlay \(overlay)")
      if case .image(let path) = overlay.content { files.insert(path) }
    }
    for instruction in instructions {
      lines.append("\(type(of: instruction)) \(instruction.timeRange)")
      guard let instruction = instruction as? VideoCompositionInstruction else { continue }
      lines.append("over \(instruction.backgroundColor) \(instruction.enablePostProcessing)")
      for layer in instruction.layerInstructions { lines.append("layer \(layer.configuration)") }
    }
    return lines
  }
}
