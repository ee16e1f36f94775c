public import ArgumentParser
import Glibc
public import Respool
import RespoolMedia

/// A rotation: `90`, `180`, `270` or `none`.
enum RotationArgument: String, ExpressibleByArgument, CaseIterable {
  case quarter = "90"
  case half = "180"
  case threeQuarters = "270"
  case none

  var rotation: Rotation { Int(rawValue).map { .clockwise($0) } ?? .asStored }
}

extension OverlayPosition.Anchor: ExpressibleByArgument {
  private static let names: [(name: String, anchor: OverlayPosition.Anchor)] = [
    ("top-left", .topLeft), ("top", .top), ("top-right", .topRight), ("left", .left),
    ("center", .center), ("right", .right), ("bottom-left", .bottomLeft), ("bottom", .bottom),
    ("bottom-right", .bottomRight),
  ]

  public init?(argument: String) {
    guard let known = Self.names.first(where: { $0.name == argument }) else { return nil }
    self = known.anchor
  }

  public static var allValueStrings: [String] { names.map(\.name) }
}

/// A file, a place and an opacity: `logo.png:top-right:0.7`.
struct OverlayArgument {
  let path: String
  let anchor: OverlayPosition.Anchor
  let opacity: Double

  /// Parses the argument from its end, because file names may contain colons.
  init(parsing argument: String) throws {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    func path(_ count: Int) -> String { parts.dropLast(count).joined(separator: ":") }
    let last = parts[parts.count - 1]
    if parts.count > 1, let anchor = OverlayPosition.Anchor(argument: last) {
      (self.path, self.anchor, opacity) = (path(1), anchor, 1)
    } else if parts.count > 2,
      let anchor = OverlayPosition.Anchor(argument: parts[parts.count - 2])
    {
      guard let value = Double(last), (0...1).contains(value) else {
        throw ValidationError("the opacity is \"\(last)\"; it is a number from 0 to 1")
      }
      (self.path, self.anchor, opacity) = (path(2), anchor, value)
    } else if parts.count == 1 || argument.lowercased().hasSuffix(".png") {
      (self.path, anchor, opacity) = (argument, .center, 1)
    } else if Double(last) != nil {
      throw ValidationError(
        "an opacity comes after a place, such as \(path(1)):center:\(last)")
    } else {
      let places = OverlayPosition.Anchor.allValueStrings.joined(separator: ", ")
      throw ValidationError("\"\(last)\" is no place; the places are \(places)")
    }
    if self.path.isEmpty { throw ValidationError("the name of the file is empty") }
  }
}

/// A factor, or decibels such as `-6dB`.
struct VolumeArgument: ExpressibleByArgument {
  let factor: Float

  /// Greatest volume, as a factor and in decibels.
  ///
  /// A limit of our own. Greater values are typing errors, because even noise would be clipped.
  private static let maximum = (factor: 1000.0, decibels: 60.0)

  init?(argument: String) {
    let text = argument.lowercased()
    if text.hasSuffix("db") {
      // Minus infinity is silence.
      guard let decibels = Double(text.dropLast(2)),
        decibels <= Self.maximum.decibels, !decibels.isNaN
      else { return nil }
      factor = Float(pow(10, decibels / 20))
    } else {
      guard let value = Double(text), (0...Self.maximum.factor).contains(value) else { return nil }
      factor = Float(value)
    }
  }
}

/// A length in pixels, or in percent of the frame's height: `48` or `6%`.
struct LengthArgument: ExpressibleByArgument {
  let length: OverlayLength

  /// Greatest length in pixels: larger letters are not drawn.
  private static let maximumPixels = 4096.0

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let part = Double(argument.dropLast()), part > 0, part <= 100 else { return nil }
      length = .fraction(part / 100)
    } else {
      guard let pixels = Double(argument), pixels > 0, pixels <= Self.maximumPixels else {
        return nil
      }
      length = .points(pixels)
    }
  }
}
