import CDrawing
import RespoolMedia

/// An image or text that cairo and pango draw.
// The handle is valid from the initialiser to deinit; strings and pixels that are passed live
// through the call.
final class OverlayDrawing {
  private let handle: OpaquePointer
  /// Size at a scale of 1: pixels of the image, or the extent of the text.
  let size: (width: Double, height: Double)
  /// Number of characters of the text that no font contains; boxes are drawn for them.
  var unknownCharacters: Int { Int(respool_drawing_unknown_characters(handle)) }

  /// Opens an image or lays out a text whose points are `scale` pixels.
  init(
    _ content: Overlay.Content, scale: Double, wrapWidth: Double
  ) throws(MediaError) {
    var made: OpaquePointer?
    let reason: UnsafePointer<CChar>?
    let name: String
    switch content {
    case .image(let path):
      name = "the overlay image"
      reason = (PathName.bytes(path) + [0]).withUnsafeBytes {
        respool_drawing_open_image($0.bindMemory(to: CChar.self).baseAddress, &made)
      }
    case .text(let text):
      name = "the overlay text"
      reason = text.text.withCString { characters in
        text.font.withCString { font in
          var style = Self.style(text, scale: scale, wrapWidth: wrapWidth)
          style.text = characters
          style.font = font
          return respool_drawing_open_text(&style, &made)
        }
      }
    }
    guard let made, reason == nil else {
      let cause = reason.map { String(cString: $0) }
      if case .image(let path) = content {
        throw MediaError(.io, "\(name) could not be read as PNG", file: path, cause: cause)
      }
      throw MediaError(.unsupported, "\(name) could not be drawn", cause: cause)
    }
    handle = made
    var (width, height) = (0.0, 0.0)
    respool_drawing_size(made, &width, &height)
    size = (width, height)
  }

  deinit { respool_drawing_free(handle) }

  private static func style(_ text: OverlayText, scale: Double, wrapWidth: Double) -> respool_text {
    func number(_ value: Double, _ most: Double) -> Double {
      value.isFinite ? min(max(value, -most), most) : 0
    }
    func color(_ color: VideoColor) -> (Double, Double, Double, Double) {
      func part(_ value: Double) -> Double { min(max(number(value, 1), 0), 1) }
      return (part(color.red), part(color.green), part(color.blue), part(color.alpha))
    }
    var style = respool_text()
    style.size = max(number(text.size * scale, 4096), 0.1)
    style.color = color(text.color)
    if let outline = text.outline {
      style.outline = color(outline.color)
      style.outline_width = max(number(outline.width * scale, 4096), 0)
    }
    if let shadow = text.shadow {
      style.shadow = color(shadow.color)
      style.shadow_x = number(shadow.x * scale, 4096)
      style.shadow_y = number(shadow.y * scale, 4096)
    }
    style.wrap_width = wrapWidth
    style.alignment = text.alignment == .left ? 0 : text.alignment == .center ? 1 : 2
    return style
  }

  /// Draws into `pixels`, native message 0xAARRGGBB in rows of `width`, which must be zero.
  func paint(
    _ pixels: inout [UInt32], width: Int, height: Int, x: Double, y: Double, scaleX: Double,
    scaleY: Double
  ) throws(MediaError) {
    guard pixels.count >= width * height, width > 0, height > 0 else { return }
    let reason = pixels.withUnsafeMutableBufferPointer {
      respool_drawing_paint(
        handle, $0.baseAddress, Int32(clamping: width), Int32(clamping: height),
        Int32(clamping: width * 4), x, y, scaleX, scaleY)
    }
    if let reason {
      throw MediaError(
        .unsupported, "an overlay could not be drawn", cause: String(cString: reason))
    }
  }
}
