import CImages
import RespoolPlugin

/// The JPEG XL encoder of libjxl (ISO/IEC 18181-1).
final class JPEGXLEncoder: Encoder {
  private static let usualDistance = 1.0
  private static let usualEffort = 7

  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "libjxl", longName: "JPEG XL by libjxl")
    value.tier = .preferred
    value.codecs = ["jpegxl"]
    value.pixelFormats = [
      .rgb24, .rgba, .rgb48le, .rgba64le, .gray, .ya8, .gray16le, .ya16le,
    ]
    value.rateControl = RateControl(
      .video, quality: .init(0...15, isLowerBetter: true, usual: usualDistance))
    value.options = [
      OptionSchema("effort", .int(1...9), default: "7", help: "more is slower and smaller")
    ]
    return value
  }()

  private(set) var track: TrackDescription
  private let layout: PixelLayout
  private var settings = cjxl_settings()
  private var profile: [UInt8]?
  private var packets: [Packet] = []
  private var isDraining = false

  init(settings: EncoderSettings) throws(MediaError) {
    track = settings.track
    guard Self.description.pixelFormats.contains(track.pixelFormat),
      let layout = track.pixelFormat.layout, (1...32_768).contains(track.width),
      (1...32_768).contains(track.height)
    else {
      throw MediaError(
        .invalidArgument,
        "an image of \(track.width)x\(track.height) in \(track.pixelFormat); libjxl takes 1 to 32768 pixels a side "
          + "in " + Self.description.pixelFormats.map(\.name).joined(separator: ", "))
    }
    self.layout = layout
    (track.codecTag, track.extradata) = (0, [])
    self.settings.width = Int32(track.width)
    self.settings.height = Int32(track.height)
    self.settings.channels = Int32(layout.componentCount)
    self.settings.depth = Int32(layout.depth)
    self.settings.primaries = Int32(track.color.primaries)
    self.settings.transfer = Int32(track.color.transfer)
    self.settings.distance = Float(settings.quality ?? Self.usualDistance)
    self.settings.effort =
      settings[option: "effort"].flatMap { Int32($0) } ?? Int32(Self.usualEffort)
    self.settings.threads = Int32(clamping: settings.threads)
    profile = track.profile.flatMap { track.pixelFormat.takes(profile: $0) ? $0 : nil }
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard let frame else {
      isDraining = true
      return .accepted
    }
    guard packets.isEmpty else { return .full }
    guard frame.pixelFormat == track.pixelFormat, frame.width == track.width,
      frame.height == track.height, let plane = frame.planes.first
    else {
      throw MediaError(
        .invalidArgument,
        "a frame of \(frame.width)x\(frame.height) \(frame.pixelFormat) does not match the encoder, opened for "
          + "\(track.width)x\(track.height) \(track.pixelFormat)")
    }
    let rowBytes = layout.rowBytes(ofPlane: 0, for: frame.width)
    // Rows from the top to the bottom without gaps.
    var pixels = [UInt8](repeating: 0, count: rowBytes * frame.height)
    pixels.withUnsafeMutableBytes { target in
      withExtendedLifetime(frame.buffer) {
        for row in 0..<frame.height {
          UnsafeMutableRawBufferPointer(rebasing: target[(row * rowBytes)...]).copyMemory(
            from: UnsafeRawBufferPointer(start: plane.base + row * plane.stride, count: rowBytes))
        }
      }
    }
    packets.append(
      Packet(
        track: 0, pts: frame.pts, dts: frame.pts, duration: frame.duration, flags: .key,
        payload: .bytes(MediaBuffer(try encode(pixels)))))
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    packets.isEmpty ? (isDraining ? .end : .needsInput) : .value(packets.removeFirst())
  }

  /// Returns the codestream without the boxes that libjxl puts around one of many bits.
  private func encode(_ pixels: [UInt8]) throws(MediaError) -> [UInt8] {
    // A profile that libjxl does not understand is left out, which the check of the output reports.
    var bytes = try encode(pixels, profile)
    if bytes == nil { bytes = try encode(pixels, nil) }
    guard let bytes else {
      throw MediaError(.pluginFailure, "libjxl cannot encode the image")
    }
    return try JPEGXLFile(bytes).codestream
  }

  private func encode(_ pixels: [UInt8], _ profile: [UInt8]?) throws(MediaError) -> [UInt8]? {
    var output = cjxl_bytes()
    defer { cjxl_free_bytes(&output) }
    var settings = settings
    let status = (profile ?? []).withUnsafeBufferPointer { profile in
      settings.profile = profile.isEmpty ? nil : profile.baseAddress
      settings.profile_count = profile.count
      return pixels.withUnsafeBytes { bytes in
        bytes.baseAddress.map { cjxl_encode(&settings, $0, 0, bytes.count, &output) }
          ?? CJXL_DAMAGED.rawValue
      }
    }
    guard status != CJXL_NO_MEMORY.rawValue else {
      throw MediaError(.limitExceeded, "there is no memory for an image of this size")
    }
    return status == CJXL_OK.rawValue ? output.array : nil
  }
}
