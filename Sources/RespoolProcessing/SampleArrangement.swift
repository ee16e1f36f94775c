import RespoolMedia

/// Memory layout of the components of a pixel format, for unpacking and packing.
struct SampleArrangement {
  enum Packing: Equatable {
    /// Every component has a fixed distance from one pixel to the next.
    case strided
    /// Bit fields of 16-bit little-endian words.
    case rgb565, rgb555
    /// Eight pixels per byte, the first in the highest bit.
    case bits(zeroIsWhite: Bool)
    case palette
  }

  /// Memory layout of one component.
  ///
  /// `offset` and `step` count elements, not bytes.
  struct Component {
    var plane: Int
    var offset: Int
    var step: Int
    var isChroma = false
    /// Index of the scaler's plane: R G B A or Y U V A.
    var target: Int

    /// Returns the width and the lowest bit of a color's bit field, from the widths of all.
    func field(
      _ bits: (red: UInt16, green: UInt16, blue: UInt16)
    ) -> (width: UInt16, shift: UInt16) {
      switch target {
      case 0: (bits.red, bits.green + bits.blue)
      case 1: (bits.green, bits.blue)
      default: (bits.blue, 0)
      }
    }
  }

  var packing = Packing.strided
  /// Components in the order R G B A, Y U V A or Y A.
  var components: [Component]
  /// Bytes per component in the unpacked planes.
  var elementSize: Int
  /// Bits per component in the unpacked planes; 32 is floating point.
  var depth: Int
  /// Unused low bits of each element (P010 has its ten bits on top).
  var shift = 0
  var isBigEndian: Bool
  let layout: PixelLayout

  init?(_ format: PixelFormat) {
    guard let layout = format.layout else { return nil }
    self.layout = layout
    depth = layout.depth
    isBigEndian = layout.isBigEndian
    elementSize = depth == 32 ? 4 : depth > 8 ? 2 : 1
    components = []
    switch layout.family {
    case .palette:
      packing = .palette
      components = (0..<4).map { Component(plane: 0, offset: 0, step: 1, target: $0) }
    case .gray: arrangeGray()
    case .rgb: arrangeRGB()
    case .yuv: arrangeYUV()
    }
    // Formats whose names are not recognized are not converted.
    guard components.count >= (layout.family == .gray ? 1 : 3) else { return nil }
  }

  /// `true` if the scaler can use the frame's own planes.
  var isPlanar: Bool {
    packing == .strided && !isBigEndian && shift == 0 && components.allSatisfy { $0.step == 1 }
  }

  var hasAlpha: Bool { components.last?.target == 3 }

  private mutating func arrangeGray() {
    switch layout.name {
    case "monowhite", "monoblack":
      packing = .bits(zeroIsWhite: layout.name == "monowhite")
      depth = 8
    default: break
    }
    let step = layout.hasAlpha ? 2 : 1
    components = [Component(plane: 0, offset: 0, step: step, target: 0)]
    if layout.hasAlpha {
      components.append(Component(plane: 0, offset: 1, step: step, target: 3))
    }
  }

  private mutating func arrangeRGB() {
    switch layout.name {
    case "rgb565le", "rgb555le":
      packing = layout.name == "rgb565le" ? .rgb565 : .rgb555
      depth = 8
      components = (0..<3).map { Component(plane: 0, offset: 0, step: 1, target: $0) }
    case let name where name.hasPrefix("gb"):
      // Planes in the order G B R A.
      components = [2, 0, 1].enumerated().map { target, plane in
        Component(plane: plane, offset: 0, step: 1, target: target)
      }
      if layout.hasAlpha { components.append(Component(plane: 3, offset: 0, step: 1, target: 3)) }
    default:
      // The first letters name the bytes or words of a pixel in order.
      let letters = Array(layout.name.prefix(layout.bytesPerPixel[0] / elementSize))
      for (target, letter) in "rgba".enumerated() {
        guard let offset = letters.firstIndex(of: letter) else { continue }
        components.append(
          Component(plane: 0, offset: offset, step: letters.count, target: target))
      }
    }
  }

  private mutating func arrangeYUV() {
    func component(_ target: Int, _ plane: Int, _ offset: Int, _ step: Int) -> Component {
      Component(
        plane: plane, offset: offset, step: step, isChroma: target == 1 || target == 2,
        target: target)
    }
    if layout.bytesPerPixel.count >= 3 {
      components = layout.bytesPerPixel.indices.map { component($0, $0, 0, 1) }
    } else if layout.bytesPerPixel.count == 2 {
      let swapped = layout.name == "nv21"
      components = [
        component(0, 0, 0, 1), component(1, 1, swapped ? 1 : 0, 2),
        component(2, 1, swapped ? 0 : 1, 2),
      ]
      if layout.name.hasPrefix("p"), depth < 16 { shift = 16 - depth }
    } else {
      let places: [(Int, Int, Int)] =
        switch layout.name {
        case "yuyv422": [(0, 2, 0), (1, 4, 1), (3, 4, 2)]
        case "uyvy422": [(1, 2, 0), (0, 4, 1), (2, 4, 2)]
        case "yvyu422": [(0, 2, 0), (3, 4, 1), (1, 4, 2)]
        default: []
        }
      components = places.map { component($0.2, 0, $0.0, $0.1) }
    }
  }
}
