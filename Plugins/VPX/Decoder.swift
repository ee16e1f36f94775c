import CVPX
import RespoolPlugin

/// A decoder for VP8 and VP9 with libvpx.
///
/// The separate alpha plane that WebM may store is not decoded.
final class VPXDecoder: Decoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(
      kind: .decoder, name: "vpx", longName: "VP8 and VP9 by libvpx")
    // FFmpeg's own decoders are faster.
    about.tier = .fallback
    about.aliases = ["libvpx", "libvpx-vp9"]
    about.codecs = ["vp8", "vp9"]
    return about
  }()

  private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
  private let memory = FrameMemory()
  private let isVP9: Bool
  private let color: ColorDescription
  private let sampleAspect: Rational
  private let threads: Int
  private var waiting: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    guard Self.description.codecs.contains(settings.track.codec) else {
      throw MediaError(
        .unsupported, "libvpx decodes vp8 and vp9, not \(settings.track.codec)")
    }
    isVP9 = settings.track.codec == "vp9"
    color = settings.track.color
    sampleAspect = settings.track.sampleAspect
    threads = min(max(1, settings.threads), 64)
    context = .allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    // From here on, `deinit` frees the context, also if `init` throws.
    try open()
  }

  deinit {
    vpx_codec_destroy(context)
    context.deallocate()
  }

  private func open() throws(MediaError) {
    var configuration = vpx_codec_dec_cfg_t(threads: UInt32(threads), w: 0, h: 0)
    let status = cvpx_decoder_init(
      context, cvpx_decoder_interface(isVP9 ? 1 : 0), &configuration)
    guard status == VPX_CODEC_OK else {
      throw MediaError(
        .pluginFailure, "libvpx could not be opened",
        cause: String(cString: vpx_codec_err_to_string(status)))
    }
    // VP8 does not support external memory: its frames are copied.
    if isVP9, memory.serve(context) != VPX_CODEC_OK {
      throw MediaError(.pluginFailure, "libvpx rejected the memory for its frames")
    }
  }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    defer { withExtendedLifetime(packet) {} }
    guard let bytes = packet.buffer?.readOnly else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    // An empty packet is a dropped frame: the last frame stays.
    guard !bytes.isEmpty, let base = bytes.baseAddress else { return .accepted }
    guard let size = UInt32(exactly: bytes.count) else {
      throw MediaError(.malformed, "a packet of \(bytes.count) bytes is too large")
    }
    if !isVP9 { try VP8KeyFrameHeader(bytes)?.check() }
    let status = vpx_codec_decode(
      context, base.assumingMemoryBound(to: UInt8.self), size, nil, 0)
    guard status == VPX_CODEC_OK else {
      throw MediaError(.malformed, "a packet could not be decoded", cause: reason(status))
    }
    waiting = try frame(for: packet)
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    if let frame = waiting.take() { return .value(frame) }
    return isDraining ? .end : .needsInput
  }

  func flush() {
    waiting = nil
    isDraining = false
    // The next key frame replaces all references; only frames that were not output must be discarded.
    var iterator: vpx_codec_iter_t?
    while vpx_codec_get_frame(context, &iterator) != nil {}
  }

  private func reason(_ status: vpx_codec_err_t) -> String {
    let general = String(cString: vpx_codec_err_to_string(status))
    guard let detail = vpx_codec_error_detail(context) else { return general }
    return "\(general): \(String(cString: detail))"
  }

  /// Returns the frame decoded from the last packet.
  ///
  /// `nil` if it is not shown.
  private func frame(for packet: Packet) throws(MediaError) -> Frame? {
    var iterator: vpx_codec_iter_t?
    var shown: UnsafeMutablePointer<vpx_image_t>?
    while let image = vpx_codec_get_frame(context, &iterator) { shown = image }
    guard let image = shown?.pointee else { return nil }
    guard let format = FrameFormat.of(image) else {
      throw MediaError(
        .unsupported,
        "libvpx returned a frame in its format \(image.fmt.rawValue), which is not supported")
    }
    guard var frame = isVP9 ? sharing(image, format) : copy(of: image, format) else {
      throw MediaError(
        .malformed, "a frame of \(image.d_w)x\(image.d_h) cannot be stored in memory")
    }
    frame.pts = packet.pts
    frame.duration = packet.duration
    frame.pixelFormat = format.pixelFormat
    frame.width = Int(image.d_w)
    frame.height = Int(image.d_h)
    frame.sampleAspect = sampleAspect
    frame.color = color
    if isVP9 {
      let stated = ColorDescription(image.cs, image.range)
      if frame.color.matrix == H273.unspecified { frame.color.matrix = stated.matrix }
      if frame.color.range == .unspecified { frame.color.range = stated.range }
    }
    if packet.flags.contains(.key) { frame.flags.insert(.key) }
    if packet.flags.contains(.corrupt) || cvpx_frame_is_corrupted(context) != 0 {
      frame.flags.insert(.corrupt)
    }
    return frame
  }

  /// Returns a frame that shares and retains libvpx's memory.
  private func sharing(_ image: vpx_image_t, _ format: FrameFormat) -> Frame? {
    guard let priv = image.fb_priv else { return nil }
    let block = Unmanaged<FrameMemory.Block>.fromOpaque(priv).takeUnretainedValue()
    var image = image
    var planes: [Frame.Plane] = []
    for index in 0..<3 {
      guard let base = cvpx_plane(&image, Int32(index)) else { return nil }
      planes.append(Frame.Plane(base: base, stride: Int(cvpx_stride(&image, Int32(index)))))
    }
    let buffer = MediaBuffer(borrowing: block.bytes) { withExtendedLifetime(block) {} }
    return Frame(kind: .video, pts: nil, planes: planes, buffer: buffer)
  }

  private func copy(of image: vpx_image_t, _ format: FrameFormat) -> Frame? {
    let (width, height) = (Int(image.d_w), Int(image.d_h))
    guard let frame = Frame(pixelFormat: format.pixelFormat, width: width, height: height),
      let layout = format.pixelFormat.layout
    else { return nil }
    var image = image
    for (index, plane) in frame.planes.enumerated() {
      guard let base = cvpx_plane(&image, Int32(index)) else { return nil }
      let stride = Int(cvpx_stride(&image, Int32(index)))
      let count = layout.rowBytes(ofPlane: index, for: width)
      for row in 0..<layout.height(ofPlane: index, for: height) {
        (plane.base + row * plane.stride).copyMemory(from: base + row * stride, byteCount: count)
      }
    }
    return frame
  }
}
