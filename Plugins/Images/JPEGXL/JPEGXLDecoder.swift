import CImages
import RespoolPlugin

/// A decoder for JPEG XL with libjxl, which shows images upright (ISO/IEC 18181-1).
final class JPEGXLDecoder: Decoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(
      kind: .decoder, name: "libjxl", longName: "JPEG XL by libjxl")
    about.tier = .preferred
    about.codecs = ["jpegxl"]
    return about
  }()

  /// Largest image in pixels.
  private static let mostPixels = 1 << 28

  private let track: TrackDescription
  private let threads: Int
  private var frame: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    guard settings.track.codec == "jpegxl" else {
      throw MediaError(.unsupported, "libjxl decodes jpegxl, not \(settings.track.codec)")
    }
    track = settings.track
    threads = max(1, settings.threads)
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
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return nil }
    let info = try JPEGXLInfo(bytes)
    let (pixels, isTooLarge) = info.width.multipliedReportingOverflow(by: info.height)
    guard !isTooLarge, pixels <= Self.mostPixels,
      var frame = Frame(
        pixelFormat: info.pixelFormat, width: info.width, height: info.height, pts: packet.pts),
      let layout = info.pixelFormat.layout, let plane = frame.planes.first,
      plane.stride * frame.height <= frame.buffer.count
    else {
      throw MediaError(
        .limitExceeded,
        "the image has \(info.width)x\(info.height) pixels; at most \(Self.mostPixels) are decoded",
        track: packet.track)
    }
    // A part of the image may be missing.
    let count = plane.stride * frame.height
    plane.base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    let status = cjxl_decode(
      base, bytes.count, Int32(clamping: threads), Int32(layout.componentCount),
      Int32(layout.depth), plane.base, plane.stride, count)
    guard status == CJXL_OK.rawValue || status == CJXL_PARTIAL.rawValue else {
      throw MediaError(.malformed, "libjxl cannot decode the image", track: packet.track)
    }
    if status == CJXL_PARTIAL.rawValue { frame.flags.insert(.corrupt) }
    frame.duration = packet.duration
    frame.color = track.color
    frame.flags.insert(.key)
    return frame
  }
}
