import CASS
import RespoolPlugin

/// A filter that draws subtitles in SubStation Alpha over frames with an alpha channel, with libass.
///
/// Frames that share their memory with the frame before are drawn again only if the text differs. The frame that comes
/// out then shares its memory with the one before, too.
final class SubtitleFilter: Filter {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .filter, name: "ass", longName: "Subtitles in SubStation Alpha by libass")
    description.filteredMedia = .video
    description.pixelFormats = [.rgba]
    description.options = [
      OptionSchema("header", .text, help: "Script without its events; its [Fonts] are used"),
      OptionSchema(
        "events", .text,
        help: "A line for each event: start and duration in milliseconds, then the line as in "
          + "Matroska"),
      OptionSchema(
        "storage-width", .int(0...32768), default: "0",
        help: "Width of the video that the script was written for; 0: that of the frames"),
      OptionSchema(
        "storage-height", .int(0...32768), default: "0",
        help: "Height of the video that the script was written for; 0: that of the frames"),
      OptionSchema(
        "cropped-left", .int(0...32768), default: "0", help: "Columns removed at the left"),
      OptionSchema(
        "cropped-right", .int(0...32768), default: "0", help: "Columns removed at the right"),
      OptionSchema("cropped-top", .int(0...32768), default: "0", help: "Rows removed at the top"),
      OptionSchema(
        "cropped-bottom", .int(0...32768), default: "0", help: "Rows removed at the bottom"),
    ]
    return description
  }

  let track: TrackDescription
  private let settings: FilterSettings
  /// The open script; `nil` before the first frame, because opening reads the fonts of the system.
  private var script: Script?
  /// The last frames that came in and went out.
  private var last: (input: Frame, output: Frame)?
  private var waiting: Frame?
  private var isDraining = false

  init(settings: FilterSettings) throws(MediaError) {
    guard settings.track.pixelFormat == .rgba else {
      throw MediaError(
        .unsupported, "the pixel format is \(settings.track.pixelFormat.name), not rgba")
    }
    (track, self.settings) = (settings.track, settings)
  }

  var results: [FilterResult] { script?.results ?? [] }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    if settings.job.isCancelled { throw MediaError(.cancelled, "stopped") }
    waiting = try drawn(frame)
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    guard let frame = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(frame)
  }

  /// Returns a frame with the text of its time.
  private func drawn(_ frame: Frame) throws(MediaError) -> Frame {
    let script = if let script { script } else { try Script(settings) }
    self.script = script
    let milliseconds = track.timeBase.convert(frame.pts ?? 0, to: Rational(1, 1000))
    let (images, hasChanged) = script.images(at: milliseconds)
    var output: Frame
    // Each call wraps the memory of a frame again; as long as a frame is kept, its address is that of no other.
    if let last, !hasChanged, last.input.planes[0].base == frame.planes[0].base {
      output = last.output
    } else if images == nil {
      output = frame
    } else {
      output = try copy(of: frame)
      images.map { output.draw($0) }
    }
    (output.pts, output.duration, output.flags) = (frame.pts, frame.duration, frame.flags)
    output.sideData = []
    last = (frame, output)
    return output
  }

  private func copy(of frame: Frame) throws(MediaError) -> Frame {
    guard
      var copy = Frame(
        pixelFormat: frame.pixelFormat, width: frame.width, height: frame.height, pts: frame.pts)
    else {
      throw MediaError(.internal, "no memory for a frame of \(frame.width)x\(frame.height)")
    }
    (copy.sampleAspect, copy.color) = (frame.sampleAspect, frame.color)
    let (from, to) = (frame.planes[0], copy.planes[0])
    for row in 0..<frame.height {
      (to.base + row * to.stride).copyMemory(
        from: from.base + row * from.stride, byteCount: frame.width * 4)
    }
    return copy
  }
}

extension Frame {
  /// Draws images over pixels whose colors are not multiplied by their alpha.
  fileprivate func draw(_ first: UnsafePointer<ASS_Image>) {
    let plane = planes[0]
    var next: UnsafePointer<ASS_Image>? = first
    while let image = next?.pointee {
      next = UnsafePointer(image.next)
      guard let bitmap = image.bitmap, image.w > 0, image.h > 0 else { continue }
      let color = (0..<3).map { Int(image.color >> (24 - 8 * $0) & 0xFF) }
      let opacity = 255 - Int(image.color & 0xFF)
      let (x, y) = (Int(image.dst_x), Int(image.dst_y))
      // Parts outside of the frame are left out, although libass cuts them off itself.
      let columns = (x..<x + Int(image.w)).clamped(to: 0..<width)
      let rows = (y..<y + Int(image.h)).clamped(to: 0..<height)
      guard opacity > 0, !columns.isEmpty else { continue }
      for row in rows {
        let coverage = bitmap + (row - y) * Int(image.stride)
        let line = (plane.base + row * plane.stride).assumingMemoryBound(to: UInt8.self)
        for column in columns where coverage[column - x] != 0 {
          blend(color, opacity * Int(coverage[column - x]), line + column * 4)
        }
      }
    }
  }

  /// Blends a color over a pixel; `weight` is its alpha, up to 255 * 255.
  private func blend(_ color: [Int], _ weight: Int, _ pixel: UnsafeMutablePointer<UInt8>) {
    let whole = 255 * 255
    let under = Int(pixel[3]) * (whole - weight)
    let sum = weight * 255 + under
    for part in 0..<3 {
      let value = color[part] * weight * 255 + Int(pixel[part]) * under
      pixel[part] = UInt8(truncatingIfNeeded: (value + sum / 2) / sum)
    }
    pixel[3] = UInt8(truncatingIfNeeded: (sum + whole / 2) / whole)
  }
}
