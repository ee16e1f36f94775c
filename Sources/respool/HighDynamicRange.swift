import Respool
import RespoolMedia

/// Facts about the dynamic range of a video track, for `respool inspect`.
struct HighDynamicRange: Hashable {
  /// Color volume of the mastering display (SMPTE ST 2086, box `mdcv`).
  struct MasteringDisplay: Hashable {
    /// Chromaticity coordinates (CIE 1931 x, y) of red, green, blue and white.
    var red, green, blue, white: Chromaticity
    /// Luminance in candelas per square meter.
    var minimumLuminance: Double
    var maximumLuminance: Double
  }

  struct Chromaticity: Hashable { var x, y: Double }

  /// Light levels of the content in candelas per square meter (CTA-861.3, box `clli`).
  ///
  /// 0 if unknown.
  struct ContentLight: Hashable {
    /// Level of the brightest pixel.
    var maximum: Int
    /// Average level of the brightest frame.
    var maximumFrameAverage: Int
  }

  /// Dolby Vision configuration record (box `dvcC` or `dvvC`).
  struct DolbyVision: Hashable {
    var profile: Int
    var level: Int
    /// Displays that play the base layer: 0 Dolby Vision only, 1 HDR10, 2 SDR, 4 HLG.
    var baseLayerCompatibility: Int
    var hasEnhancementLayer: Bool
  }

  /// `HLG` or `PQ`.
  var transfer: String?
  var masteringDisplay: MasteringDisplay?
  var contentLight: ContentLight?
  var dolbyVision: DolbyVision?

  /// Creates the facts of a track; `nil` if it has standard dynamic range.
  init?(_ track: TrackDescription) {
    transfer = track.color.highDynamicRangeName
    masteringDisplay = track.sideData["mdcv"].flatMap { MasteringDisplay($0) }
    contentLight = track.sideData["clli"].flatMap { ContentLight($0) }
    dolbyVision = (track.sideData["dvcC"] ?? track.sideData["dvvC"]).flatMap { DolbyVision($0) }
    if transfer == nil, masteringDisplay == nil, contentLight == nil, dolbyVision == nil {
      return nil
    }
  }
}

extension HighDynamicRange.MasteringDisplay {
  /// Reads the body of `mdcv` (ISO/IEC 14496-12 12.1.7); `nil` if it is too short.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(MediaError) {
      func chromaticity() throws(MediaError) -> HighDynamicRange.Chromaticity {
        // Units of 0.00002.
        let (x, y): (UInt16, UInt16) = (try reader.big(), try reader.big())
        return .init(x: Double(x) / 50_000, y: Double(y) / 50_000)
      }
      // In the order of the SEI message in ITU-T H.265 D.3.28.
      (green, blue, red) = (try chromaticity(), try chromaticity(), try chromaticity())
      white = try chromaticity()
      // Units of 0.0001 cd/m².
      maximumLuminance = Double(try reader.big(UInt32.self)) / 10_000
      minimumLuminance = Double(try reader.big(UInt32.self)) / 10_000
    } catch { return nil }
  }
}

extension HighDynamicRange.ContentLight {
  /// Reads the body of `clli` (ISO/IEC 14496-12 12.1.6); `nil` if it is too short.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(MediaError) {
      maximum = Int(try reader.big(UInt16.self))
      maximumFrameAverage = Int(try reader.big(UInt16.self))
    } catch { return nil }
  }
}

extension HighDynamicRange.DolbyVision {
  /// Reads a DOVIDecoderConfigurationRecord; `nil` if it is too short.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 5 else { return nil }
    let bits = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    profile = Int(bits >> 9)
    level = Int(bits >> 3 & 0x3F)
    hasEnhancementLayer = bits & 2 != 0
    baseLayerCompatibility = Int(bytes[4] >> 4)
  }
}

extension HighDynamicRange {
  /// Text for people, one line for each part.
  var lines: [String] {
    var lines: [String] = []
    if let display = masteringDisplay {
      lines.append(
        "mastering display: \(display.minimumLuminance) to \(display.maximumLuminance) cd/m², "
          + "red \(display.red.text), green \(display.green.text), blue \(display.blue.text), "
          + "white \(display.white.text)")
    }
    if let light = contentLight {
      lines.append(
        "content light: brightest pixel \(light.maximum) cd/m², brightest frame "
          + "\(light.maximumFrameAverage) cd/m² on average")
    }
    if let vision = dolbyVision {
      lines.append(
        "Dolby Vision: profile \(vision.profile), level \(vision.level), base layer "
          + vision.baseLayerText
          + (vision.hasEnhancementLayer ? ", with an enhancement layer" : ""))
    }
    return lines
  }

  var document: JSON {
    .object([
      "transfer": transfer.map { .string($0) },
      "masteringDisplay": masteringDisplay.map {
        .object([
          "red": $0.red.document, "green": $0.green.document, "blue": $0.blue.document,
          "white": $0.white.document, "minimumLuminance": .number($0.minimumLuminance),
          "maximumLuminance": .number($0.maximumLuminance),
        ])
      },
      "contentLight": contentLight.map {
        .object([
          "maximum": .integer(Int64($0.maximum)),
          "maximumFrameAverage": .integer(Int64($0.maximumFrameAverage)),
        ])
      },
      "dolbyVision": dolbyVision.map {
        .object([
          "profile": .integer(Int64($0.profile)), "level": .integer(Int64($0.level)),
          "baseLayerCompatibility": .integer(Int64($0.baseLayerCompatibility)),
          "enhancementLayer": .bool($0.hasEnhancementLayer),
        ])
      },
    ])
  }
}

extension HighDynamicRange.Chromaticity {
  fileprivate var text: String { "\(x),\(y)" }
  fileprivate var document: JSON { .array([.number(x), .number(y)]) }
}

extension HighDynamicRange.DolbyVision {
  fileprivate var baseLayerText: String {
    switch baseLayerCompatibility {
    case 0: "for Dolby Vision only"
    case 1, 6: "compatible with HDR10"
    case 2: "compatible with SDR"
    case 4: "compatible with HLG"
    default: "of compatibility \(baseLayerCompatibility)"
    }
  }
}
