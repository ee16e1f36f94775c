/// Settings of a WebVTT cue (W3C, 6.3): the position of its lines.
enum WebVTTSettings {
  /// Reads settings into a caption; returns the names of those that a caption cannot hold.
  static func read(_ settings: String, into caption: inout Caption) -> [String] {
    var skipped: [String] = []
    var (line, lineAlignment) = (Double?.none, CaptionRegion.DisplayAlignment.before)
    var (position, size) = (Double?.none, 100.0)
    for setting in settings.split(whereSeparator: \.isWhitespace).prefix(16) {
      let parts = setting.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let values = parts[1].split(separator: ",", maxSplits: 1)
      switch parts[0] {
      case "align": caption.textAlignment = textAlignments.first { $0.name == parts[1] }?.alignment
      case "position": position = values.first.flatMap(percent)
      case "size": size = percent(parts[1]) ?? 100
      case "line":
        line = values.first.flatMap(percent)
        if let row = values.first.flatMap(row) { (line, lineAlignment) = row }
        if values.count == 2, let stated = lineAlignments.first(where: { $0.name == values[1] }) {
          lineAlignment = stated.alignment
        }
      default: skipped.append(String(parts[0]))
      }
    }
    guard line != nil || position != nil || size != 100 else { return skipped }
    let width = size
    let x: Double
    switch caption.textAlignment {
    case .start, .left: x = position ?? 0
    case .end, .right: x = (position ?? 100) - width
    case .center, nil: x = (position ?? 50) - width / 2
    }
    let origin = CaptionPoint(x: min(max(0, x), 100 - width), y: 0)
    var region = CaptionRegion(
      origin: origin, size: CaptionSize(width: width, height: 100), displayAlignment: .after)
    if let line {
      region.displayAlignment = lineAlignment
      switch lineAlignment {
      case .before: (region.origin.y, region.size.height) = (line, 100 - line)
      case .center:
        let half = min(line, 100 - line)
        (region.origin.y, region.size.height) = (line - half, 2 * half)
      case .after: region.size.height = line
      }
    }
    caption.region = region
    return skipped
  }

  /// Returns the settings of a caption, as they follow the times of a cue.
  static func text(_ caption: Caption) -> String {
    var settings: [String] = []
    if let region = caption.region {
      let name = lineAlignments.first { $0.alignment == region.displayAlignment }?.name ?? "start"
      if region.displayAlignment == .before {
        settings.append("line:\(percent(region.lines))")
      } else if region.lines < 100 {
        settings.append("line:\(percent(region.lines)),\(name)")
      }
      if region.origin.x != 0 || region.size.width != 100 {
        let x: Double
        switch caption.textAlignment {
        case .start, .left: x = region.origin.x
        case .end, .right: x = region.origin.x + region.size.width
        case .center, nil: x = region.origin.x + region.size.width / 2
        }
        settings += ["position:\(percent(x))", "size:\(percent(region.size.width))"]
      }
    }
    if let name = textAlignments.first(where: { $0.alignment == caption.textAlignment })?.name,
      name != "center"
    {
      settings.append("align:\(name)")
    }
    return settings.joined(separator: " ")
  }

  private static let textAlignments: [(name: String, alignment: Caption.TextAlignment)] = [
    ("start", .start), ("center", .center), ("end", .end), ("left", .left), ("right", .right),
  ]
  private static let lineAlignments: [(name: String, alignment: CaptionRegion.DisplayAlignment)] = [
    ("start", .before), ("center", .center), ("end", .after),
  ]

  private static func percent(_ text: Substring) -> Double? {
    guard text.hasSuffix("%"), let number = Double(text.dropLast()), (0...100).contains(number)
    else { return nil }
    return number
  }

  /// Returns the position of a line number as a top edge, in percent of a frame of 16 lines.
  ///
  /// Negative numbers count from the bottom and give a bottom edge.
  private static func row(_ text: Substring) -> (Double, CaptionRegion.DisplayAlignment)? {
    guard let number = Double(text), number.isFinite else { return nil }
    let edge = number < 0 ? 17 + number : number
    return (min(max(0, edge), 16) / 16 * 100, number < 0 ? .after : .before)
  }

  private static func percent(_ number: Double) -> String {
    let hundredths = (min(max(0, number), 100) * 100).rounded()
    let whole = Int(hundredths / 100)
    let rest = Int(hundredths) % 100
    guard rest > 0 else { return "\(whole)%" }
    return "\(whole).\(rest < 10 ? "0" : "")\(rest)%"
  }
}
