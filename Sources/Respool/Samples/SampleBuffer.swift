public import RespoolMedia
import Synchronization

/// Media with its time: a compressed packet or several, a picture, or a block of sound; or no sample at all.
///
/// Samples share their bytes: copying one, or giving it other times, copies no media. Any thread may
/// read one, change its attachments or invalidate it.
public final class SampleBuffer: Sendable {
  /// What is in it.
  public enum Content: Sendable {
    case packet(Packet)
    case frame(Frame)
  }

  struct State: Sendable {
    /// As it came; of a picture that somebody has asked for, `image` has what became of it since.
    var content: Content
    var image: PixelBuffer?
    var isValid = true
    /// Of sound that is decoded; packets have their own.
    var trimAtStart = MediaTime.zero
    var trimAtEnd = MediaTime.zero
    var dependsOnOthers: Bool?
    var custom: [String: String] = [:]
    var reference: SampleReference?
    /// Of the first stored sample of a composition's piece: where the piece is shown.
    var startedPiece: TimeRange?

    /// What is in it now.
    var current: Content {
      guard let image, case .frame(let frame) = content else { return content }
      var shown = image.frame
      (shown.pts, shown.duration, shown.flags) = (frame.pts, frame.duration, frame.flags)
      return .frame(shown)
    }
  }

  let state: Mutex<State>
  /// Unit of the content's own times.
  let timeBase: Rational
  /// Where there is more than one stored sample: each by itself, with a view of its bytes.
  ///
  /// They are handed to nobody: what is said of one and whether it is valid is the buffer's own.
  let parts: [SampleBuffer]
  /// `true` if there is no sample in it: a marker, which carries a time and attachments.
  let isMarker: Bool
  public let formatDescription: FormatDescription
  /// When it is shown; of several samples when the earliest is.
  public let presentationTimeStamp: MediaTime
  /// When it has to be decoded, of several samples the first; invalid where that is the same.
  public let decodeTimeStamp: MediaTime
  /// Of several samples the sum, whatever gaps there are between them (CMSampleBufferGetDuration).
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

  /// `timeBase` is that of the content's times.
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

  /// A picture to be shown at a time.
  ///
  /// Its colour, clean aperture and pixel aspect ratio go into the format description.
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

  /// What is in it; of several samples a packet with the bytes of all.
  ///
  /// An empty packet once the sample has been invalidated.
  public var content: Content { state.withLock { $0.current } }

  /// Whether it still has its media.
  public var isValid: Bool { state.withLock { $0.isValid } }

  /// Gives the media up at once, whoever else still holds the sample.
  ///
  /// Its times and its format stay; a writer refuses it from now on. Calling it again does nothing.
  public func invalidate() {
    let empty = Packet(track: 0, pts: nil, dts: nil, payload: .bytes(MediaBuffer(count: 0)))
    // What goes is released outside the lock: that may run a decoder's or a pool's code.
    let last = state.withLock { state in
      let last = (state.content, state.image)
      (state.content, state.image) = (.packet(empty), nil)
      state.isValid = false
      return last
    }
    withExtendedLifetime(last) {}
    for part in parts { part.invalidate() }
  }

  /// The picture, where it is one: the same object every time.
  ///
  /// What is drawn into it (`PixelBuffer/withMutablePlane`) and said about it is in the sample from then on.
  public var imageBuffer: PixelBuffer? {
    state.withLock { state in
      if let image = state.image { return image }
      guard case .frame(let frame) = state.content else { return nil }
      state.image = PixelBuffer(frame, cleanAperture: formatDescription.track.cleanAperture)
      return state.image
    }
  }

  /// The bytes of all compressed samples, or of interleaved audio: those of its samples and no others.
  ///
  /// `nil` for pictures and planar audio. The memory is shared with the sample.
  public var dataBuffer: MediaBuffer? {
    guard isValid else { return nil }
    switch content {
    case .packet(let packet): return packet.buffer
    case .frame(let frame):
      guard frame.kind == .audio, frame.planes.count == 1, let plane = frame.planes.first else {
        return nil
      }
      // The buffer is that of whoever decoded it: with room to spare, and of audio that has been cut with what was
      // cut off.
      return frame.buffer.view(of: plane.base, count: frame.byteCount)
    }
  }

  /// Samples in it: of decoded sound those of each channel; none once it is invalid.
  public var numSamples: Int {
    guard isValid, !isMarker else { return 0 }
    if !parts.isEmpty { return parts.count }
    if case .frame(let frame) = content, frame.kind == .audio { return frame.sampleCount }
    return 1
  }

  /// Bytes of the media.
  public var totalSampleSize: Int {
    if !parts.isEmpty { return parts.reduce(0) { $0 + $1.totalSampleSize } }
    return switch content {
    case .packet(let packet): packet.size
    case .frame(let frame): frame.byteCount
    }
  }
}

/// Where a sample's bytes lie.
public struct SampleReference: Hashable, Sendable {
  /// Of the file.
  public var path: String
  /// Of the first byte in it.
  public var byteOffset: Int64

  public init(path: String, byteOffset: Int64) {
    self.path = path
    self.byteOffset = byteOffset
  }
}
