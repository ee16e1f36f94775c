import Glibc
import RespoolMedia

extension ExportSession {
  /// Returns a text of everything that determines the frames of the export, as far as it is known, one line each.
  ///
  /// The behavior of a custom compositor is unknown; only its type is included. `nil` if a file is missing.
  func identity(_ settings: ResolvedSettings) -> String? {
    var lines = ["preset \(settings.preset), \(settings.container), limit \(fileLengthLimit)"]
    lines.append("from \(timeRange.start) for \(timeRange.duration)")
    lines += rotation.map { ["turned \($0)"] } ?? []
    var files = Set([asset.path].compactMap { $0 })
    for track in (asset as? Composition)?.compositionTracks ?? [] {
      guard track.mediaType == .video else { continue }
      for segment in track.compositionSegments {
        lines.append(
          "track \(track.trackID): \(segment.sourcePath ?? "nothing") \(segment.sourceTrackID ?? 0) "
            + "\(segment.timeMapping)")
        if let path = segment.sourcePath { files.insert(path) }
      }
      for replacement in track.formatDescriptionReplacements {
        let described = replacement.replacementFormatDescription.track
        lines.append("track \(track.trackID) described as \(described)")
      }
    }
    if let videoComposition { lines += videoComposition.configuration.identity(&files) }
    for track in settings.outputTracks {
      guard case .convertVideo(let conversion) = track.action else { continue }
      lines.append("track \(track.source): \(conversion.identity)")
    }
    for path in files.sorted() {
      var status = stat()
      guard FileName.withSystemPath(path, { stat($0, &status) }) == 0 else { return nil }
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
      + "\(frameRate) bits \(bitRate ?? 0) quality \(quality ?? -1) threads \(threads ?? 0) "
      + options.joined(separator: " ")
  }
}

extension VideoComposition.Configuration {
  /// Returns a text of the composition's contents, and adds its image files to `files`.
  fileprivate func identity(_ files: inout Set<String>) -> [String] {
    var lines = [
      "composed \(renderSize) \(renderScale) \(frameDuration) \(timingTrackIDs)",
      "colours \(colorPrimaries ?? 0) \(colorTransferFunction ?? 0) \(colorYCbCrMatrix ?? 0)",
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
