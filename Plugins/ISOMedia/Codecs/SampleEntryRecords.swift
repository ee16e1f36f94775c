import RespoolPlugin

/// Boxes of sample entries and tracks that describe the media and are passed through as side data.
enum SampleEntryRecords {
  /// Boxes of a video sample entry, in the order in which they are written.
  ///
  /// HDR and color: ISO/IEC 14496-12 12.1.5 to 12.1.9. Dolby Vision: its configurations and those of the
  /// enhancement layer. Stereo and spherical video: ISO/IEC 14496-15 (`lhvC`), Apple's `vexu` and `hfov`, and
  /// Spherical Video V2.
  static let video: [FourCC] = [
    .colorProfile, .masteringDisplay, .contentLightLevel, .contentColorVolume, .ambientViewing,
    "dvcC", "dvvC", "dvwC", "hvcE", "avcE", "lhvC", "vexu", "hfov", "st3d", "sv3d", "d263", "gama",
  ]

  /// Boxes of a video sample entry of a flavor: the gamma is QuickTime's.
  static func video(in flavor: Flavor) -> [FourCC] {
    flavor == .mov ? video : video.filter { $0 != "gama" }
  }

  /// Boxes of an audio sample entry: spatial audio, QuickTime's channel layout, and the AC-3 and E-AC-3
  /// configurations.
  ///
  /// `dec3` describes substreams and objects that a single frame does not fully reveal.
  static let audio: [FourCC] = ["SA3D", "SAND", "chan", "dac3", "dec3"]

  /// Boxes of an audio sample entry whose samples are not PCM.
  static func audio(in flavor: Flavor) -> [FourCC] {
    flavor == .mov ? ["SA3D", "SAND", "chan"] : ["SA3D", "SAND"]
  }

  /// Boxes of a track: Apple's apertures and Spherical Video V1, which has no type of its own.
  static let track: [FourCC] = ["tapt", "uuid"]

  /// Maximum size in bytes of one passed-through box; ICC profiles are the largest.
  private static let largest = 4 << 20

  /// Returns the side data of a box.
  ///
  /// `nil` if the box is not passed through or is damaged.
  static func record(_ type: FourCC, _ payload: ByteReader, of known: [FourCC]) -> SideData? {
    switch type {
    case "SmDm": return masteringDisplay(payload).map { SideData(.masteringDisplay, $0.bytes) }
    case "CoLL": return contentLight(payload).map { SideData(.contentLightLevel, $0.bytes) }
    case "uuid":
      guard payload.bytes.starts(with: sphericalVideo) else { return nil }
    default: break
    }
    guard known.contains(type), (1...largest).contains(payload.count) else { return nil }
    return SideData(type, Array(payload.bytes))
  }

  /// Writes the records that belong into a sample entry of `codec`.
  static func write(
    _ records: [SideData], of known: [FourCC], codec: String, to writer: inout BoxWriter
  ) {
    for type in known {
      for record in records where record.type == type && fits(type, codec) {
        writer.box(type) { $0.raw(record.bytes) }
      }
    }
  }

  /// `true` if a box of that type may accompany the configuration record of the codec.
  private static func fits(_ type: FourCC, _ codec: String) -> Bool {
    switch type {
    case "lhvC", "hvcE": codec == "hevc"
    case "avcE": codec == "h264"
    case "d263": codec == "h263"
    default: !FourCC.dolbyVision.contains(type) || ["h264", "hevc", "av1"].contains(codec)
    }
  }

  /// Identifier of Spherical Video V1 (RFC, "Spherical Video metadata").
  private static let sphericalVideo: [UInt8] = [
    0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD,
  ]

  /// Parses `SmDm` (VP Codec ISO Media File Format Binding): chromaticities as 0.16 fixed point, luminance as
  /// 24.8 and 18.14.
  private static func masteringDisplay(_ payload: ByteReader) -> MasteringDisplay? {
    var reader = payload
    do throws(MediaError) {
      _ = try reader.versionAndFlags()
      var colors: [MasteringDisplay.Chromaticity] = []
      for _ in 0..<4 {
        let (x, y) = (try reader.big(UInt16.self), try reader.big(UInt16.self))
        colors.append(.init(Double(x) / 65536, Double(y) / 65536))
      }
      let maximum = Double(try reader.big(UInt32.self)) / 256
      let minimum = Double(try reader.big(UInt32.self)) / 16384
      return MasteringDisplay(
        red: colors[0], green: colors[1], blue: colors[2], whitePoint: colors[3],
        maximumLuminance: MasteringDisplay.units(maximum),
        minimumLuminance: MasteringDisplay.units(minimum))
    } catch { return nil }
  }

  private static func contentLight(_ payload: ByteReader) -> ContentLightLevel? {
    var reader = payload
    guard (try? reader.versionAndFlags()) != nil else { return nil }
    return (try? reader.take(4)).flatMap { ContentLightLevel($0) }
  }
}
