public import RespoolMedia
import Synchronization

/// Media with its times: one or several compressed packets, a frame, or a block of audio; or a marker without
/// samples.
///
/// Samples share their bytes: copying one, or changing its times, copies no media. Any thread may read one, change
/// its attachments or invalidate it.
public final class SampleBuffer: Sendable {
  /// Media of a sample.
  public enum Content: Sendable {
    case packet(Packet)
    case frame(Frame)
  }

  struct State: Sendable {
    /// The original content.
    ///
    /// If `imageBuffer` has been read, `image` has the frame with its later changes.
    var content: Content
    var image: PixelBuffer?
    var isValid = true
    /// Trim of decoded audio; packets have their own.
    var trimAtStart = MediaTime.zero
    var trimAtEnd = MediaTime.zero
    var dependsOnOthers: Bool?
    var custom: [String: String] = [:]
    var reference: SampleReference?
    /// Target range of a composition's segment; set for the segment's first stored sample.
    var startedPiece: TimeRange?

    /// The content with the changes made through `image`.
    var current: Content {
      guard let image, case .frame(let frame) = content else { return content }
      var shown = image.frame
      (shown.pts, shown.duration, shown.flags) = (frame.pts, frame.duration, frame.flags)
      return .frame(shown)
    }
  }

  let state: Mutex<State>
  /// Time base of the content's own times.
  let timeBase: Rational
  /// The stored samples if there are several, each with a view of its bytes.
  ///
  /// They are not public: their attachments and validity are accessed through this buffer.
  let parts: [SampleBuffer]
  /// `true` if there is no sample: a marker, which carries a time and attachments.
  let isMarker: Bool
  public let formatDescription: FormatDescription
  /// Presentation time; the earliest if there are several samples.
  public let presentationTimeStamp: MediaTime
  /// Decoding time; the earliest if there are several samples.
  ///
  /// Invalid if it equals the presentation time.
  public let decodeTimeStamp: MediaTime
  /// Duration; for several samples the sum, regardless of gaps between them (CMSampleBufferGetDuration).
  public let duration: MediaTime

  init(
    _ content: Content, format: FormatDescription, timeBase: Rational, timing: SampleTiming,
    parts: [SampleBuffer] = [], isMarker: Bool = false
  ) {
    self.parts = parts
    self.isMarker = isMarker
    state = Mutex(State(content: content))
    self.timeBase = timeBase
    formatDescription = format
    presentationTimeStamp = timing.presentationTimeStamp
    decodeTimeStamp = timing.decodeTimeStamp
    duration = timing.duration
  }

  /// Creates a sample of content whose times are in `timeBase`.
  public convenience init(_ content: Content, format: FormatDescription, timeBase: Rational) {
    let timing =
      switch content {
      case .packet(let packet):
        SampleTiming(
          duration: MediaTime(packet.duration, timeBase),
          presentationTimeStamp: MediaTime(packet.pts, timeBase),
          decodeTimeStamp: packet.dts == packet.pts ? .invalid : MediaTime(packet.dts, timeBase))
      case .frame(let frame):
        SampleTiming(
          duration: MediaTime(frame.duration, timeBase),
          presentationTimeStamp: MediaTime(frame.pts, timeBase))
      }
    self.init(content, format: format, timeBase: timeBase, timing: timing)
  }

  /// Creates a sample of a frame to be shown at a time.
  ///
  /// Its color, clean aperture and pixel aspect ratio are copied to the format description.
  public convenience init(
    _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime = .invalid
  ) {
    // A time of zero has any time scale; the duration must not be rounded to that.
    let timeBase = Rational(exactFor: [time, duration]) ?? Rational(1, max(1, time.timescale))
    var frame = picture.frame
    frame.pts = time.ticks(timeBase)
    frame.duration = time.isNumeric ? duration.ticks(timeBase) ?? 0 : 0
    var track = TrackDescription(kind: .video, codec: "rawvideo", timeBase: timeBase)
    track.width = frame.width
    track.height = frame.height
    track.pixelFormat = frame.pixelFormat
    track.color = frame.color
    track.sampleAspect = frame.sampleAspect
    track.cleanAperture = picture.attachments.cleanAperture
    self.init(
      .frame(frame), format: FormatDescription(track), timeBase: timeBase,
      timing: SampleTiming(duration: duration, presentationTimeStamp: time))
    state.withLock { $0.image = picture }
  }

  /// The media; for several samples a packet with the bytes of all.
  ///
  /// An empty packet after the sample has been invalidated.
  public var content: Content { state.withLock { $0.current } }

  /// The media; `nil` after the sample has been invalidated.
  private var validContent: Content? { state.withLock { $0.isValid ? $0.current : nil } }

  /// `true` until the sample is invalidated.
  public var isValid: Bool { state.withLock { $0.isValid } }

  /// Releases the media at once, even if other code still holds the sample.
  ///
  /// Its times and its format remain; writers reject it from now on. Calling it again does nothing.
  public func invalidate() {
    let empty = Packet(track: 0, pts: nil, dts: nil, payload: .bytes(MediaBuffer(count: 0)))
    // The media is released outside the lock: that may run code of a decoder or a pool.
    let last = state.withLock { state in
      let last = (state.content, state.image)
      (state.content, state.image) = (.packet(empty), nil)
      state.isValid = false
      return last
    }
    withExtendedLifetime(last) {}
    for part in parts { part.invalidate() }
  }

  /// The frame of a video sample; the same object every time.
  ///
  /// `nil` for other content.
  ///
  /// Drawing into it (`PixelBuffer/withMutablePlane`) and setting its attachments changes the sample.
  public var imageBuffer: PixelBuffer? {
    state.withLock { state in
      if let image = state.image { return image }
      guard case .frame(let frame) = state.content else { return nil }
      state.image = PixelBuffer(frame, cleanAperture: formatDescription.track.cleanAperture)
      return state.image
    }
  }

  /// The bytes of all compressed samples, or of interleaved audio, without unused memory around them.
  ///
  /// `nil` for frames and planar audio. The memory is shared with the sample.
  public var dataBuffer: MediaBuffer? {
    switch validContent {
    case nil: return nil
    case .packet(let packet): return packet.buffer
    case .frame(let frame):
      guard frame.kind == .audio, frame.planes.count == 1, let plane = frame.planes.first else {
        return nil
      }
      // The decoder's buffer may be larger than the audio, and trimmed audio still has the memory of the parts that
      // were cut.
      return frame.buffer.view(of: plane.base, count: frame.byteCount)
    }
  }

  /// Number of samples; for decoded audio of each channel.
  ///
  /// 0 after invalidation.
  public var numSamples: Int {
    guard let content = validContent, !isMarker else { return 0 }
    if !parts.isEmpty { return parts.count }
    if case .frame(let frame) = content, frame.kind == .audio { return frame.sampleCount }
    return 1
  }

  /// Size of the media, in bytes.
  public var totalSampleSize: Int {
    if !parts.isEmpty { return parts.reduce(0) { $0 + $1.totalSampleSize } }
    return switch content {
    case .packet(let packet): packet.size
    case .frame(let frame): frame.byteCount
    }
  }
}

/// Location of a sample's bytes in a file.
public struct SampleReference: Hashable, Sendable {
  /// Path of the file.
  public var path: String
  /// Offset of the first byte in the file.
  public var byteOffset: Int64

  public init(path: String, byteOffset: Int64) {
    self.path = path
    self.byteOffset = byteOffset
  }
}
