public import RespoolMedia

/// Media with its time: a compressed packet, a picture, or a block of sound.
public final class SampleBuffer: Sendable {
  /// What is in it.
  public enum Content: Sendable {
    case packet(Packet)
    case frame(Frame)
  }

  public let content: Content
  public let formatDescription: FormatDescription
  /// When it is shown.
  public let presentationTimeStamp: MediaTime
  /// When it has to be decoded; invalid where that is the same.
  public let decodeTimeStamp: MediaTime
  public let duration: MediaTime

  /// `timeBase` is that of the content's times.
  public init(_ content: Content, format: FormatDescription, timeBase: Rational) {
    self.content = content
    formatDescription = format
    switch content {
    case .packet(let packet):
      presentationTimeStamp = MediaTime(packet.pts, timeBase)
      decodeTimeStamp = packet.dts == packet.pts ? .invalid : MediaTime(packet.dts, timeBase)
      duration = MediaTime(packet.duration, timeBase)
    case .frame(let frame):
      presentationTimeStamp = MediaTime(frame.pts, timeBase)
      decodeTimeStamp = .invalid
      duration = MediaTime(frame.duration, timeBase)
    }
  }

  /// With times of its own, whatever the content's are.
  public init(
    _ content: Content, format: FormatDescription, presentationTimeStamp: MediaTime,
    decodeTimeStamp: MediaTime = .invalid, duration: MediaTime = .invalid
  ) {
    self.content = content
    formatDescription = format
    self.presentationTimeStamp = presentationTimeStamp
    self.decodeTimeStamp = decodeTimeStamp
    self.duration = duration
  }

  /// A picture to be shown at a time.
  public convenience init(
    _ picture: PixelBuffer, at time: MediaTime, duration: MediaTime = .invalid
  ) {
    let timeBase = Rational(1, time.timescale)
    var frame = picture.frame
    frame.pts = time.isNumeric ? time.value : nil
    frame.duration =
      time.isNumeric && duration.isNumeric
      ? duration.convertScale(time.timescale, method: .default).value : 0
    var track = TrackDescription(kind: .video, codec: "rawvideo", timeBase: timeBase)
    track.width = frame.width
    track.height = frame.height
    track.pixelFormat = frame.pixelFormat
    track.color = frame.color
    self.init(.frame(frame), format: FormatDescription(track), timeBase: timeBase)
  }

  /// The picture, where it is one.
  public var imageBuffer: PixelBuffer? {
    if case .frame(let frame) = content { PixelBuffer(frame) } else { nil }
  }

  /// The bytes of a compressed sample or of interleaved sound; nil for pictures and planar sound.
  public var dataBuffer: MediaBuffer? {
    switch content {
    case .packet(let packet): packet.buffer
    case .frame(let frame): frame.kind == .audio && frame.planes.count == 1 ? frame.buffer : nil
    }
  }

  /// Samples in it: of sound those of each channel, else 1.
  public var numSamples: Int {
    if case .frame(let frame) = content, frame.kind == .audio { frame.sampleCount } else { 1 }
  }
}

extension MediaTime {
  /// A count of units of a time base; invalid for nil and for time bases that a time scale cannot tell.
  init(_ value: Int64?, _ base: Rational) {
    guard let value, base.isPositive else {
      self = .invalid
      return
    }
    if base.numerator == 1 {
      self.init(value: value, timescale: base.denominator)
    } else {
      let (product, overflow) = value.multipliedReportingOverflow(by: Int64(base.numerator))
      self = overflow ? .invalid : MediaTime(value: product, timescale: base.denominator)
    }
  }
}
