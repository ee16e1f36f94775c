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
