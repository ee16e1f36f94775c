import ArgumentParser
import Glibc
import Respool
import RespoolMedia

/// The edits that `respool convert` takes.
struct EditArguments: ParsableArguments {
  // A value that begins with a minus is an error of the time, not a missing value.
  @Option(parsing: .unconditional, help: "Start time, as seconds, m:ss or h:mm:ss.")
  var from: TimeArgument?

  @Option(parsing: .unconditional, help: "End time.")
  var to: TimeArgument?

  @Option(parsing: .unconditional, help: "Duration of the output, instead of --to.")
  var duration: TimeArgument?

  @Option(help: "Rotate the video clockwise; none ignores the stored rotation.")
  var rotate: RotationArgument?

  @Option(
    help: """
      Maximum frame size instead of the preset's, such as 1280x720. Its longer side applies to \
      the longer side of the frame. Frames are enlarged only if the preset has upscale: true.
      """)
  var size: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "A PNG over the video, at the center or another place, such as top-right, and with an "
        + "opacity. Can be repeated.", valueName: "file[:place[:opacity]]"), completion: .file(),
    transform: OverlayArgument.init(parsing:))
  var overlay: [OverlayArgument] = []

  @Option(help: "Text over the video.")
  var text: String?

  @Option(help: "Place of the text (default: bottom).")
  var textPosition: OverlayPosition.Anchor?

  @Option(help: "Size of the letters, in pixels or in percent of the frame height (default: 6%).")
  var textSize: LengthArgument?

  @Option(
    parsing: .unconditional,
    help: "Volume, as a factor or in decibels, such as 0.5 or -6dB.")
  var volume: VolumeArgument?

  @Option(parsing: .unconditional, help: "Fade-in duration for audio and video, in seconds.")
  var fadeIn: TimeArgument?

  @Option(parsing: .unconditional, help: "Fade-out duration at the end, in seconds.")
  var fadeOut: TimeArgument?

  func validate() throws {
    if to != nil, duration != nil {
      throw ValidationError("--to and --duration exclude each other")
    }
    if let to, to.time <= (from?.time ?? .zero) {
      throw ValidationError("--to must be later than --from")
    }
    if let duration, duration.time <= .zero {
      throw ValidationError("--duration must be more than 0")
    }
    if text == nil, textPosition != nil || textSize != nil {
      throw ValidationError("--text-position and --text-size need --text")
    }
    if text?.isEmpty == true { throw ValidationError("--text is empty") }
  }

  var options: EditOptions {
    var options = EditOptions()
    options.start = from?.time
    options.end = to?.time ?? duration.map { (from?.time ?? .zero) + $0.time }
    options.rotation = rotate?.rotation
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
