import RespoolMedia

/// A renderer that draws the overlays of a composition onto its frames.
///
/// Cairo draws an overlay once, and again only when its position or size has changed.
final class OverlayRenderer {
  private final class Item {
    let overlay: Overlay
    var drawing: OverlayDrawing?
    var sprite: OverlaySprite?
    var place: Rectangle?

    init(_ overlay: Overlay) { self.overlay = overlay }
  }

  private let target: CompositionTarget
  private let renderSize: VideoDimensions
  private let items: [Item]

  init(_ composition: VideoComposition, _ target: CompositionTarget) {
    self.target = target
    renderSize = composition.renderSize
    items = composition.overlays.map(Item.init)
  }

  /// Blends the overlays that are visible at a time over the canvas, only in the area that they cover.
  func draw(on canvas: Canvas, at time: MediaTime, pool: FramePool) throws(MediaError) {
    for item in items {
      guard
        let moment = item.overlay.moment(
          at: time,
          pixels: {
            (
              $0.x.pixels(of: renderSize.width, target.width),
              $0.y.pixels(of: renderSize.height, target.height)
            )
          })
      else { continue }
      let drawing = try drawing(item)
      let place = place(item.overlay, drawing, moment)
      if item.place != place {
        item.place = place
        item.sprite = try OverlaySprite(drawing, place, target, pool: pool)
      }
      let weight = LayerWeight(opacity: moment.opacity)
      guard let sprite = item.sprite, weight > 0 else { continue }
      try canvas.draw(sprite.layer(weight: weight))
    }
  }

  private func drawing(_ item: Item) throws(MediaError) -> OverlayDrawing {
    if let known = item.drawing { return known }
    var wrap = 0.0
    if case .text(let text) = item.overlay.content, let width = text.wrapWidth {
      wrap = max(width.pixels(of: renderSize.width, target.width), 0)
    }
    let made = try OverlayDrawing(
      item.overlay.content, scale: Double(target.height) / Double(max(renderSize.height, 1)),
      wrapWidth: wrap)
    item.drawing = made
    return made
  }

  /// Returns the rectangle of an overlay in pixels, with its origin rounded to 1/64 pixel.
  private func place(_ overlay: Overlay, _ drawing: OverlayDrawing, _ moment: Overlay.Moment)
    -> Rectangle
  {
    let (pointX, pointY) = (
      Double(target.width) / Double(max(renderSize.width, 1)),
      Double(target.height) / Double(max(renderSize.height, 1))
    )
    var (width, height) = drawing.size
    if case .image = overlay.content {
      // A pixel of an image is a point of the render size.
      (width, height) = (width * pointX, height * pointY)
    }
    let wantedWidth = overlay.width?.pixels(of: renderSize.width, target.width)
    let wantedHeight = overlay.height?.pixels(of: renderSize.height, target.height)
    let natural = (width: max(width, 1e-3), height: max(height, 1e-3))
    width = wantedWidth ?? wantedHeight.map { natural.width * $0 / natural.height } ?? width
    height = wantedHeight ?? wantedWidth.map { natural.height * $0 / natural.width } ?? height
    (width, height) = (width * moment.scale, height * moment.scale)
    let anchor = overlay.position.anchor.place
    func fine(_ value: Double) -> Double { (value * 64).rounded() / 64 }
    return Rectangle(
      x: fine(anchor.x * (Double(target.width) - width) + moment.offset.x),
      y: fine(anchor.y * (Double(target.height) - height) + moment.offset.y),
      width: max(width, 0), height: max(height, 0))
  }
}
