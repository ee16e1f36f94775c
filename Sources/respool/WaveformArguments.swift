public import ArgumentParser
public import Respool
import RespoolMedia

/// What `respool waveform` can write.
enum WaveformFormat: String, ExpressibleByArgument, CaseIterable {
  case png, svg, json, dat

  /// What an output's extension means; nil where it means nothing.
  init?(output: String) {
    self.init(rawValue: FileName.splitExtension(FileName.last(output)).extension)
  }

  var isDrawing: Bool { self == .png || self == .svg }
}

/// A time as seconds, `m:ss` or `h:mm:ss`, each with decimals.
struct TimeArgument: ExpressibleByArgument {
  let time: MediaTime

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last else { return nil }
    let pieces = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let decimals = pieces.count == 2 ? pieces[1] : ""
    // Nanoseconds are as exact as it gets, and one day has 86,400 seconds.
    guard decimals.utf8.count <= 9, parts.first?.isEmpty == false else { return nil }
    var value: Int64 = 0
    for part in parts.dropLast() + [pieces[0]] {
      guard part.utf8.count <= 9, let number = Self.number(part) else { return nil }
      value = value * 60 + number
    }
    guard value < 1 << 31, let rest = decimals.isEmpty ? 0 : Self.number(decimals) else {
      return nil
    }
    var scale: Int32 = 1
    for _ in decimals.utf8 { scale *= 10 }
    time = MediaTime(value: value * Int64(scale) + rest, timescale: scale)
  }

  private static func number(_ digits: Substring) -> Int64? {
    digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
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

extension WaveformColor: ExpressibleByArgument {
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
