import CAVCodec
import RespoolPlugin

/// FFmpeg's encoder of VC-3 (SMPTE ST 2019-1) with the profiles of Avid DNxHR, for editing.
///
/// DNxHR takes any size from 256x120; DNxHD, its predecessor, has a list of sizes and rates and is not made.
final class DNxHREncoder: LibraryEncoder, Encoder {
  /// Profiles and their pixel formats, from few to many bits.
  private static let profiles: [(name: String, format: PixelFormat)] = [
    ("lb", .yuv422p), ("sq", .yuv422p), ("hq", .yuv422p), ("hqx", .yuv422p10le),
    ("444", .yuv444p10le),
  ]

  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .encoder, name: "dnxhr", longName: "Avid DNxHR (VC-3) by FFmpeg")
    value.codecs = ["dnxhd"]
    value.rateControl = RateControl(.video)
    value.pixelFormats = [.yuv422p, .yuv422p10le, .yuv444p10le]
    value.options = [
      OptionSchema(
        "profile", .choice(["auto"] + profiles.map(\.name)), default: "auto",
        help: "DNxHR profile, which sets the bits per frame; auto: hq, hqx or 444 by pixel format")
    ]
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    let track = settings.track
    let chosen = settings[option: "profile"] ?? "auto"
    let suiting = Self.profiles.filter { $0.format == track.pixelFormat }
    guard let best = suiting.last else {
      throw MediaError(.unsupported, "DNxHR does not take \(track.pixelFormat)")
    }
    guard chosen == "auto" || suiting.contains(where: { $0.name == chosen }) else {
      let formats = Self.profiles.filter { $0.name == chosen }.map(\.format.name)
      throw MediaError(
        .invalidArgument,
        "profile is \(chosen), which takes \(formats.joined(separator: ", ")), not "
          + "\(track.pixelFormat)")
    }
    guard track.width >= 256, track.height >= 120 else {
      throw MediaError(
        .unsupported,
        "DNxHR with a frame of \(track.width)x\(track.height); it takes 256x120 or more")
    }
    let profile = chosen == "auto" ? best.name : chosen
    try super.init(codec: "dnxhd", settings: settings) { context throws(MediaError) in
      try context.set("profile", to: "dnxhr_\(profile)")
    }
    matrix = Self.matrixCode(track.color.matrix)
  }

  /// Code of the color matrix in the header of each frame.
  private var matrix: UInt8 = 0

  /// Returns the code for a matrix (ITU-T H.273): BT.709, BT.2020, or one that only the container states.
  private static func matrixCode(_ matrix: UInt8) -> UInt8 {
    switch matrix {
    case 0...2: 0
    case 9: 1
    case 10: 2
    default: 3
    }
  }

  /// Offset of the byte with the color matrix, and the first of its two bits.
  private static let matrixPlace = (offset: 0x2C, shift: UInt8(1))

  /// Returns a packet whose header states the color matrix, for which FFmpeg's encoder always writes BT.709.
  override func receive() throws(MediaError) -> Output<Packet> {
    let output = try super.receive()
    guard matrix != 0, case .value(var packet) = output, case .bytes(let buffer) = packet.payload,
      packet.size > Self.matrixPlace.offset
    else { return output }
    var bytes = Array(buffer.readOnly)
    bytes[Self.matrixPlace.offset] &= ~(3 << Self.matrixPlace.shift)
    bytes[Self.matrixPlace.offset] |= matrix << Self.matrixPlace.shift
    packet.payload = .bytes(MediaBuffer(bytes))
    return .value(packet)
  }
}
