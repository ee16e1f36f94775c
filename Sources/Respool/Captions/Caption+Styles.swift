extension Caption {
  // Ranges and indexes are those of `text`; the part of a range after its end is ignored.

  /// Returns the weight at an index of the text, and the range around it with the same weight.
  public func fontWeight(at index: String.Index) -> (FontWeight, Range<String.Index>) {
    value(\.fontWeight, at: index)
  }

  public mutating func setFontWeight(_ fontWeight: FontWeight, in range: Range<String.Index>) {
    change(range) { $0.fontWeight = fontWeight }
  }

  public mutating func removeFontWeight(in range: Range<String.Index>) {
    setFontWeight(.unknown, in: range)
  }

  /// Returns the font style at an index of the text, and the range around it with the same style.
  public func fontStyle(at index: String.Index) -> (FontStyle, Range<String.Index>) {
    value(\.fontStyle, at: index)
  }

  public mutating func setFontStyle(_ fontStyle: FontStyle, in range: Range<String.Index>) {
    change(range) { $0.fontStyle = fontStyle }
  }

  public mutating func removeFontStyle(in range: Range<String.Index>) {
    setFontStyle(.unknown, in: range)
  }

  /// Returns the decoration at an index of the text, and the range around it with the same decoration.
  public func decoration(at index: String.Index) -> (Decoration, Range<String.Index>) {
    value(\.decoration, at: index)
  }

  public mutating func setDecoration(_ decoration: Decoration, in range: Range<String.Index>) {
    change(range) { $0.decoration = decoration }
  }

  public mutating func removeDecoration(in range: Range<String.Index>) {
    setDecoration([], in: range)
  }

  /// Returns the text color at an index, `nil` for the player's default, and the range around it with the same color.
  public func textColor(at index: String.Index) -> (VideoColor?, Range<String.Index>) {
    value(\.textColor, at: index)
  }

  public mutating func setTextColor(_ textColor: VideoColor, in range: Range<String.Index>) {
    change(range) { $0.textColor = textColor }
  }

  public mutating func removeTextColor(in range: Range<String.Index>) {
    change(range) { $0.textColor = nil }
  }

  /// Returns the background color at an index, `nil` for the player's default, and the range around it with the same
  /// color.
  public func backgroundColor(at index: String.Index) -> (VideoColor?, Range<String.Index>) {
    value(\.backgroundColor, at: index)
  }

  public mutating func setBackgroundColor(_ color: VideoColor, in range: Range<String.Index>) {
    change(range) { $0.backgroundColor = color }
  }

  public mutating func removeBackgroundColor(in range: Range<String.Index>) {
    change(range) { $0.backgroundColor = nil }
  }

  private func offset(_ index: String.Index) -> Int {
    let scalars = text.unicodeScalars
    return scalars.distance(from: scalars.startIndex, to: min(index, scalars.endIndex))
  }

  private mutating func change(
    _ range: Range<String.Index>, _ change: (inout StyledText.Style) -> Void
  ) {
    styled.change(offset(range.lowerBound)..<offset(range.upperBound), change)
  }

  private func value<Value: Equatable>(
    _ part: KeyPath<StyledText.Style, Value>, at index: String.Index
  ) -> (Value, Range<String.Index>) {
    let (value, range) = styled.value(part, at: offset(index))
    let scalars = text.unicodeScalars
    let start = scalars.index(scalars.startIndex, offsetBy: range.lowerBound)
    return (value, start..<scalars.index(start, offsetBy: range.count))
  }
}
