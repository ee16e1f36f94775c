import ArgumentParser
import Glibc
import Respool
import RespoolMedia

/// The edits that `respool convert` takes.
struct EditArguments: ParsableArguments {
  @Option(help: "Where to begin, as seconds, m:ss or h:mm:ss.")
  var from: TimeArgument?

  @Option(help: "Where to end.")
  var to: TimeArgument?

  @Option(help: "How long a part to take, instead of --to.")
  var duration: TimeArgument?

  @Option(help: "Turn the picture clockwise; none shows it as it is stored.")
  var rotate: RotationArgument?

  @Option(
    help: """
      A box that the picture fits into, in place of the preset's, such as 1280x720; turned as the picture \
      is, and never enlarging it.
      """)
  var size: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "A PNG over the picture, again for more: at the center or another place, such as top-right, and "
        + "with an opacity.", valueName: "file[:place[:opacity]]"), completion: .file())
  var overlay: [OverlayArgument] = []

  @Option(help: "Words over the picture.")
  var text: String?

  @Option(help: "Where the words are (default: bottom).")
  var textPosition: OverlayPosition.Anchor?

  @Option(help: "Size of the letters, in pixels or as part of the picture's height (default: 6%).")
  var textSize: LengthArgument?

  @Option(
    parsing: .unconditional,
    help: "How loud, as a factor or in decibels, such as 0.5 or -6dB.")
  var volume: VolumeArgument?

  @Option(help: "Seconds over which sound and picture come up.")
  var fadeIn: TimeArgument?

  @Option(help: "Seconds over which they go down at the end.")
  var fadeOut: TimeArgument?

  func validate() throws {
    if to != nil, duration != nil {
      throw ValidationError("--to and --duration exclude each other")
    }
    if let to, to.time <= (from?.time ?? .zero) {
      throw ValidationError("--to has to be later than --from")
    }
    if let duration, duration.time <= .zero {
      throw ValidationError("--duration has to be more than 0")
    }
    if text == nil, textPosition != nil || textSize != nil {
      throw ValidationError("--text-position and --text-size need a --text")
    }
    if text?.isEmpty == true { throw ValidationError("--text is empty") }
  }

  /// Checks that the image files can be read, before anything is converted.
  func checkFiles() throws(MediaError) {
    for overlay in overlay {
      guard FileName.withSystemPath(overlay.path, { access($0, R_OK) }) != 0 else { continue }
      throw MediaError(
        .io, "the overlay cannot be read", file: overlay.path,
        cause: String(cString: strerror(errno)))
    }
  }

  var options: EditOptions {
    var options = EditOptions()
    options.start = from?.time
    options.end = to?.time ?? duration.map { (from?.time ?? .zero) + $0.time }
    options.turn = rotate?.turn
    options.size = size.map { Preset.Size($0.width, $0.height) }
    options.overlays = overlay.map {
      Overlay(
        .image(path: $0.path), position: OverlayPosition($0.anchor), opacity: $0.opacity)
    }
    if let text {
      options.caption = EditOptions.Caption(text)
      if let textPosition { options.caption?.anchor = textPosition }
      if let textSize { options.caption?.size = textSize.length }
    }
    if let volume { options.volume = volume.factor }
    options.fadeIn = fadeIn?.time ?? .zero
    options.fadeOut = fadeOut?.time ?? .zero
    return options
  }
}
