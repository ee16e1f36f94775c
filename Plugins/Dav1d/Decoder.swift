import CDav1d
import Glibc
import RespoolPlugin

/// A decoder for AV1 with dav1d.
final class Dav1dDecoder: Decoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(
      kind: .decoder, name: "dav1d",
      longName: "AV1 by dav1d \(String(cString: dav1d_version()))")
    about.tier = .preferred
    about.aliases = ["libdav1d"]
    about.codecs = ["av1"]
    about.options = [
      .init(
        "film-grain", .bool, default: "true", help: "add the film grain that the stream describes"),
      .init(
        "operating-point", .int(0...31), default: "0",
        help: "operating point of a scalable stream; 0 has the highest quality"),
    ]
    return about
  }()

  /// Largest frame in pixels, four times that of 8K.
  ///
  /// A few bytes of a damaged stream can state 65536x65536, for which memory would be allocated.
  private static let frameSizeLimit: UInt32 = 1 << 27

  private let track: TrackDescription
  private var context: OpaquePointer?
  /// Data that dav1d has not taken yet.
  private var pending = Dav1dData()
  /// `true` if dav1d needs the sequence header of the configuration record before the next packet.
  private var needsHeader = true
  private var isDraining = false
  private var isDrained = false

  init(settings: DecoderSettings) throws(MediaError) {
    guard settings.track.codec == "av1" else {
      throw MediaError(.unsupported, "dav1d decodes av1, not \(settings.track.codec)")
    }
    track = settings.track
    var values = Dav1dSettings()
    dav1d_default_settings(&values)
    values.n_threads = Int32(min(max(1, settings.threads), Int(DAV1D_MAX_THREADS)))
    values.apply_grain = settings[option: "film-grain"] == "false" ? 0 : 1
    values.operating_point = settings[option: "operating-point"].flatMap { Int32($0) } ?? 0
    values.all_layers = 0
    values.frame_size_limit = Self.frameSizeLimit
    values.logger.callback = nil
    let status = dav1d_open(&context, &values)
    guard status == 0, context != nil else {
      throw Self.error("dav1d could not be opened", status, else: .pluginFailure)
    }
  }

  deinit {
    dav1d_data_unref(&pending)
    dav1d_close(&context)
  }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    try pushPending()
    guard pending.sz == 0 else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    guard let buffer = packet.buffer else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    if needsHeader {
      needsHeader = false
      try sendHeader()
    }
    guard !buffer.bytes.isEmpty else { return .accepted }
    try take(buffer)
    pending.m.timestamp = packet.pts ?? .min
    pending.m.duration = packet.duration
    // dav1d returns the offset with the frame; it means nothing to it.
    pending.m.offset = packet.flags.contains(.corrupt) ? 1 : 0
    try pushPending()
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    while true {
      let reference = PictureReference()
      let status = dav1d_get_picture(context, reference.pointer)
      if status == 0 {
        var frame = try Frame(reference, of: track)
        if reference.pointer.pointee.m.offset == 1 { frame.flags.insert(.corrupt) }
        return .value(frame)
      }
      guard status == cdav1d_error(EAGAIN) else {
        throw Self.error("a packet could not be decoded", status, else: .malformed)
      }
      if pending.sz > 0 {
        try pushPending()
        continue
      }
      guard isDraining else { return .needsInput }
      // dav1d waits for frames that its threads still decode only in the second of two calls without data.
      guard !isDrained else { return .end }
      isDrained = true
    }
  }

  func flush() {
    dav1d_data_unref(&pending)
    dav1d_flush(context)
    needsHeader = true
    isDraining = false
    isDrained = false
  }

  /// Sends the units of the configuration record: packets may have no sequence header (AV1 binding 2.3.4).
  private func sendHeader() throws(MediaError) {
    let units =
      AV1Configuration.isRecord(track.extradata) ? track.extradata.dropFirst(4) : []
    guard !units.isEmpty else { return }
    try take(MediaBuffer(units))
    // A damaged record is no reason to lose packets, which usually have the sequence header too.
    _ = dav1d_send_data(context, &pending)
    dav1d_data_unref(&pending)
  }

  /// Makes `pending` the bytes of a buffer, which dav1d retains.
  private func take(_ buffer: MediaBuffer) throws(MediaError) {
    let owner = Unmanaged.passRetained(buffer)
    let status = dav1d_data_wrap(
      &pending, buffer.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count,
      { _, owner in
        if let owner { Unmanaged<MediaBuffer>.fromOpaque(owner).release() }
      }, owner.toOpaque())
    guard status == 0 else {
      owner.release()
      throw Self.error("a packet could not be taken", status, else: .pluginFailure)
    }
  }

  /// Offers `pending` to dav1d, which takes it unless frames have to be received first.
  private func pushPending() throws(MediaError) {
    guard pending.sz > 0 else { return }
    let status = dav1d_send_data(context, &pending)
    guard status != 0, status != cdav1d_error(EAGAIN) else { return }
    dav1d_data_unref(&pending)
    throw Self.error("a packet could not be decoded", status, else: .malformed)
  }

  private static func error(
    _ message: String, _ status: Int32, else code: MediaError.Code
  ) -> MediaError {
    if status == cdav1d_error(ENOMEM) {
      return MediaError(.limitExceeded, "memory ran out", cause: message)
    }
    if status == cdav1d_error(ERANGE) {
      return MediaError(
        .limitExceeded, message, cause: "a frame exceeds \(frameSizeLimit) pixels")
    }
    return MediaError(code, message, cause: String(cString: strerror(abs(status))))
  }
}
