import RespoolMedia

/// The pixels that FFmpeg's filter `crop` keeps.
struct CropArea {
  let x, y, width, height: Int

  /// Evaluates the options for frames of a size; `nil` if they have expressions that are not known.
  init?(_ options: [PluginOption], width: Int, height: Int, format: PixelFormat) {
    var names = ["iw": Double(width), "in_w": Double(width)]
    names["ih"] = Double(height)
    names["in_h"] = Double(height)
    func value(_ option: [String], default text: String) -> Double? {
      FilterExpression.value(options.last { option.contains($0.name) }?.value ?? text, names)
    }
    // The width may depend on the height, and the height on the width.
    for _ in 0..<2 {
      if let columns = value(["w", "out_w"], default: "iw") {
        (names["ow"], names["out_w"]) = (columns, columns)
      }
      if let rows = value(["h", "out_h"], default: "ih") {
        (names["oh"], names["out_h"]) = (rows, rows)
      }
    }
    // Unless `exact` is set, chroma is not cut within a pixel.
    let isExact = options.last { $0.name == "exact" }.map { ["1", "true"].contains($0.value) }
    let steps = (
      isExact == true ? 0 : format.layout?.log2ChromaWidth ?? 0,
      isExact == true ? 0 : format.layout?.log2ChromaHeight ?? 0
    )
    func rounded(_ value: Double, _ step: Int, atMost limit: Int) -> Int {
      let whole = min(max(0, value.rounded(.toNearestOrEven)), Double(limit))
      return (Int(whole) >> step) << step
    }
    guard let columns = names["ow"], let rows = names["oh"],
      let left = value(["x"], default: "(in_w-out_w)/2"),
      let above = value(["y"], default: "(in_h-out_h)/2")
    else { return nil }
    self.width = rounded(columns, steps.0, atMost: width)
    self.height = rounded(rows, steps.1, atMost: height)
    x = rounded(left, steps.0, atMost: width - self.width)
    y = rounded(above, steps.1, atMost: height - self.height)
  }
}
