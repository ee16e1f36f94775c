public import ArgumentParser
public import Respool
import RespoolMedia
public import RespoolWaveform

/// Output formats of `respool waveform`.
enum WaveformFormat: String, ExpressibleByArgument, CaseIterable {
  case png, svg, json, dat

  /// Creates the format for an output's extension; `nil` for another extension.
  init?(output: String) {
    self.init(rawValue: PathName.splitExtension(PathName.last(output)).extension)
  }

  var isDrawing: Bool { self == .png || self == .svg }
}

/// A time as seconds, `m:ss` or `h:mm:ss`, each with any number of decimals.
///
/// Minutes after hours, and seconds after minutes, are less than 60.
struct TimeArgument: ExpressibleByArgument {
  let time: MediaTime
  /// Text as the user gave it.
  let text: String

  init?(argument: String) {
    text = argument
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last else { return nil }
    let pieces = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let decimals = pieces.count == 2 ? pieces[1] : ""
    // ".5" is half a second.
    let seconds = pieces[0].isEmpty && !decimals.isEmpty ? "0" : pieces[0]
    guard parts.first?.isEmpty == false else { return nil }
    var value: Int64 = 0
    var isFollowing = false
    for part in parts.dropLast() + [seconds] {
      guard part.utf8.count <= 9, let number = Self.number(part) else { return nil }
      if isFollowing, number >= 60 { return nil }
      value = value * 60 + number
      isFollowing = true
    }
    // Digits after nanoseconds are ignored: programs write more digits than are meaningful.
    let (kept, cut) = (decimals.prefix(9), decimals.dropFirst(9))
    guard value < 1 << 31, Self.isNumber(cut), var rest = kept.isEmpty ? 0 : Self.number(kept)
    else { return nil }
    if let next = cut.utf8.first, next >= UInt8(ascii: "5") { rest += 1 }
    var scale: Int32 = 1
    for _ in kept.utf8 { scale *= 10 }
    time = MediaTime(value: value * Int64(scale) + rest, timescale: scale)
  }

  private static func number(_ digits: Substring) -> Int64? {
    isNumber(digits) ? Int64(digits) : nil
  }

  private static func isNumber(_ digits: Substring) -> Bool {
    digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// A size as `WIDTHxHEIGHT`.
struct SizeArgument: ExpressibleByArgument {
  let width: Int
  let height: Int

  init?(argument: String) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      (1...32767).contains(width), (1...32767).contains(height)
    else { return nil }
    (self.width, self.height) = (width, height)
  }
}

extension RGBAColor: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }

  public var defaultValueDescription: String { hexText }
}

extension Waveform.SampleDepth: ExpressibleByArgument {
  public init?(argument: String) {
    guard let number = Int(argument) else { return nil }
    self.init(rawValue: number)
  }

  public var defaultValueDescription: String { String(rawValue) }

  public static var allValueStrings: [String] { allCases.map { String($0.rawValue) } }
}

extension WaveformRenderer.AmplitudeScale: ExpressibleByArgument {
  public init?(argument: String) {
    if argument == "auto" {
      self = .fitting
    } else if let factor = Double(argument), factor >= 0, factor <= 1e6 {
      self = .factor(factor)
    } else {
      return nil
    }
  }

  public var defaultValueDescription: String {
    switch self {
    case .factor(let factor): factor == factor.rounded() ? String(Int(factor)) : String(factor)
    case .fitting: "auto"
    }
  }
}
