/// Properties of a video track that its frames were seen to have before a conversion.
package struct SeenFrames: Hashable, Sendable {
  /// `nil` if the frames were not looked at for fields, or show none clearly.
  package var fields: SeenFields?
  /// `nil` if the frames were not looked at for borders, or are all black.
  package var area: VisibleArea?

  package init() {}

  /// Parts of frames that a conversion depends on.
  package struct Wanted: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let fields = Wanted(rawValue: 1)
    package static let borders = Wanted(rawValue: 2)
  }
}

/// The smallest part of frames outside of which all frames of a film are black, in pixels.
package struct VisibleArea: Hashable, Sendable {
  package var width: Int
  package var height: Int
  package var x: Int
  package var y: Int

  package init(width: Int, height: Int, x: Int, y: Int) {
    (self.width, self.height, self.x, self.y) = (width, height, x, y)
  }

  /// Returns the area with its sides moved outward to multiples of `columns` and `rows`, within frames of a size.
  func aligned(columns: Int, rows: Int, width: Int, height: Int) -> VisibleArea {
    func outward(_ start: Int, _ count: Int, _ step: Int, _ limit: Int) -> (start: Int, count: Int)
    {
      let first = start / step * step
      let end = min(limit, (start + count + step - 1) / step * step)
      return (first, end - first)
    }
    let (x, width) = outward(x, self.width, columns, width)
    let (y, height) = outward(y, self.height, rows, height)
    return VisibleArea(width: width, height: height, x: x, y: y)
  }
}
