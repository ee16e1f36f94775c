import CHEIF
import RespoolPlugin

/// A decoder for images that consist of several coded ones, such as the tiles of a phone's photo, with libheif.
///
/// A packet is a whole file. Rotation and mirroring are properties of the track and are not applied. A part that is
/// shown alone is stated in the configuration of the track: left, top, width and height, each of 32 bits.
final class HEIFDecoder: Decoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(
      kind: .decoder, name: "libheif",
      longName: "tiled HEIC and AVIF by libheif \(String(cString: heif_get_version()))")
    about.tier = .preferred
    about.codecs = ["heif"]
    return about
  }()

  /// Largest image in pixels.
  private static let mostPixels = 1 << 28

  private let track: TrackDescription
  private let threads: Int
  private var frame: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    guard settings.track.codec == "heif" else {
      throw MediaError(.unsupported, "libheif decodes heif, not \(settings.track.codec)")
    }
    track = settings.track
    threads = max(1, settings.threads)
    let (pixels, isTooLarge) = track.width.multipliedReportingOverflow(by: track.height)
    guard !isTooLarge, pixels <= Self.mostPixels else {
      throw MediaError(
        .limitExceeded,
        "the image has \(track.width)x\(track.height) pixels; at most \(Self.mostPixels) are decoded"
      )
    }
  }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard frame == nil else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    guard let buffer = packet.buffer else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    frame = try buffer.withBytes { bytes throws(MediaError) in try decode(bytes, packet) }
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    if let frame {
      self.frame = nil
      return .value(frame)
    }
    return isDraining ? .end : .needsInput
  }

  func flush() { (frame, isDraining) = (nil, false) }

  private func decode(_ bytes: UnsafeRawBufferPointer, _ packet: Packet) throws(MediaError)
    -> Frame?
  {
    guard let base = bytes.baseAddress else { return nil }
    var image = cheif_image()
    defer { cheif_free(&image) }
    var message = [CChar](repeating: 0, count: 256)
    let status = cheif_decode(
      base, bytes.count, Int32(clamping: threads), &image, &message, message.count)
    guard status == 0 else {
      let text = message.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw MediaError(.malformed, "the image cannot be decoded: \(text)", track: packet.track)
    }
    guard let format = PixelFormat(image), let layout = format.layout else {
      throw unsupported(image, packet)
    }
    let part = try part(of: image, layout)
    guard
      var frame = Frame(
        pixelFormat: format, width: part.width, height: part.height, pts: packet.pts)
    else { throw unsupported(image, packet) }
    // Planes of a format without chroma are luma and alpha.
    let sources = layout.family == .gray ? [0, 3] : [0, 1, 2, 3]
    for (index, plane) in frame.planes.enumerated() {
      guard let (from, stride) = image.plane(sources[index]) else {
        throw MediaError(.pluginFailure, "libheif omitted a plane of the image")
      }
      let count = layout.rowBytes(ofPlane: index, for: frame.width)
      // The left and top edges are those of pixels with chroma.
      let start =
        from + layout.rowBytes(ofPlane: index, for: part.x)
        + layout.height(ofPlane: index, for: part.y) * stride
      for row in 0..<layout.height(ofPlane: index, for: frame.height) {
        (plane.base + row * plane.stride).copyMemory(
          from: start + row * stride, byteCount: count)
      }
    }
    frame.duration = packet.duration
    frame.color = track.color
    frame.sampleAspect = track.sampleAspect
    frame.flags.insert(.key)
    return frame
  }

  private func unsupported(_ image: cheif_image, _ packet: Packet) -> MediaError {
    MediaError(
      .unsupported,
      "libheif returned an image of \(image.width)x\(image.height) with \(image.depth) bits "
        + "in its layout \(image.chroma), which is not supported", track: packet.track)
  }

  /// Returns the part of an image that is shown.
  ///
  /// Throws `malformed` if the image does not have it.
  private func part(of image: cheif_image, _ layout: PixelLayout) throws(MediaError) -> (
    x: Int, y: Int, width: Int, height: Int
  ) {
    guard track.extradata.count == 16 else { return (0, 0, Int(image.width), Int(image.height)) }
    var reader = ByteReader(track.extradata)
    var numbers: [Int] = []
    for _ in 0..<4 { numbers.append(Int(try reader.big(UInt32.self))) }
    let (x, y) = (
      numbers[0] & ~(1 << layout.log2ChromaWidth - 1),
      numbers[1] & ~(1 << layout.log2ChromaHeight - 1)
    )
    guard numbers[2] > 0, numbers[3] > 0, x + numbers[2] <= Int(image.width),
      y + numbers[3] <= Int(image.height)
    else {
      throw MediaError(.malformed, "the part of the image that is shown lies outside of it")
    }
    return (x, y, numbers[2], numbers[3])
  }
}

extension cheif_image {
  /// Returns the start and the stride of a plane; `nil` if the image does not have it.
  fileprivate func plane(_ index: Int) -> (UnsafePointer<UInt8>, Int)? {
    let bases = [planes.0, planes.1, planes.2, planes.3]
    let steps = [strides.0, strides.1, strides.2, strides.3]
    return bases[index].map { ($0, Int(steps[index])) }
  }
}

extension PixelFormat {
  /// Creates the format of an image; `nil` if there is none.
  fileprivate init?(_ image: cheif_image) {
    let family: String
    switch heif_chroma(UInt32(image.chroma)) {
    // Transparency of a gray image is not taken.
    case heif_chroma_monochrome: family = "gray"
    case heif_chroma_420: family = image.has_alpha != 0 ? "yuva420p" : "yuv420p"
    case heif_chroma_422: family = image.has_alpha != 0 ? "yuva422p" : "yuv422p"
    case heif_chroma_444: family = image.has_alpha != 0 ? "yuva444p" : "yuv444p"
    default: return nil
    }
    self.init(name: image.depth == 8 ? family : "\(family)\(image.depth)le")
  }
}
