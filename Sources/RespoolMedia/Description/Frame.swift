/// One decoded picture or one block of sound. The memory belongs to `buffer` and must not be written
/// to once the frame has been handed over.
// Sendable: the planes point into the buffer, which is not written to after hand-over.
public struct Frame: @unchecked Sendable {
  public enum Kind: Sendable { case video, audio }

  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let key = Flags(rawValue: 1)
    public static let corrupt = Flags(rawValue: 2)
    public static let interlaced = Flags(rawValue: 4)
    public static let topFieldFirst = Flags(rawValue: 8)
    /// To an encoder: decoding has to be able to start with this picture.
    public static let mustBeKey = Flags(rawValue: 16)
  }

  /// Rows of samples (video) or samples (audio).
  public struct Plane {
    public var base: UnsafeMutableRawPointer
    /// Bytes from one row to the next; may be negative.
    ///
    /// For sound the bytes of the plane.
    public var stride: Int

    public init(base: UnsafeMutableRawPointer, stride: Int) {
      self.base = base
      self.stride = stride
    }
  }

  /// Order of the two fields; nil: the frame is not interlaced.
  public var fieldOrder: TrackDescription.FieldOrder? {
    guard flags.contains(.interlaced) else { return nil }
    return flags.contains(.topFieldFirst) ? .topFirst : .bottomFirst
  }

  public var kind: Kind
  /// Presentation time in the time base of the track.
  public var pts: Int64?
  /// 0 where not known.
  public var duration: Int64 = 0
  public var flags: Flags = []
  public var planes: [Plane]
  /// Owns the memory of all planes.
  public var buffer: MediaBuffer

  // Video
  public var pixelFormat: PixelFormat = .none
  public var width = 0
  public var height = 0
  public var sampleAspect: Rational = .unknown
  public var color: ColorDescription = .unspecified

  /// Data that holds for this frame, such as HDR10+ metadata and closed captions.
  public var sideData: [SideData] = []

  // Audio
  public var sampleFormat: SampleFormat = .none
  public var sampleRate = 0
  public var channelLayout = ChannelLayout(channelCount: 0)
  /// Samples of each channel.
  public var sampleCount = 0

  public init(kind: Kind, pts: Int64?, planes: [Plane], buffer: MediaBuffer) {
    self.kind = kind
    self.pts = pts
    self.planes = planes
    self.buffer = buffer
  }
}

extension Frame {
  /// Bytes of the samples, without the padding of rows; 0 for a format that is not known.
  ///
  /// Not what the buffer counts: a decoder's buffer may speak for one plane of several.
  public var byteCount: Int {
    guard kind == .video else {
      return sampleCount * sampleFormat.bytesPerSample * channelLayout.channelCount
    }
    guard let layout = pixelFormat.layout else { return 0 }
    return (0..<layout.planeCount).reduce(0) {
      $0 + layout.rowBytes(ofPlane: $1, for: width) * layout.height(ofPlane: $1, for: height)
    }
  }

  /// A picture with memory of its own: rows aligned to 64 bytes.
  ///
  /// The rows are not initialized, the bytes between them are 0.
  ///
  /// Nil where the format is not known or a side is not within 1 to 32,768.
  public init?(pixelFormat: PixelFormat, width: Int, height: Int, pts: Int64? = nil) {
    guard let layout = pixelFormat.layout, (1...32768).contains(width),
      (1...32768).contains(height)
    else { return nil }
    var offsets: [(offset: Int, stride: Int)] = []
    var total = 0
    for plane in 0..<layout.planeCount {
      let stride = (layout.rowBytes(ofPlane: plane, for: width) + 63) & ~63
      offsets.append((total, stride))
      total += stride * layout.height(ofPlane: plane, for: height)
    }
    let buffer = MediaBuffer(count: total)
    guard let base = buffer.bytes.baseAddress else { return nil }
    for plane in 0..<layout.planeCount {
      let (used, stride) = (layout.rowBytes(ofPlane: plane, for: width), offsets[plane].stride)
      guard used < stride else { continue }
      for row in 0..<layout.height(ofPlane: plane, for: height) {
        (base + offsets[plane].offset + row * stride + used).initializeMemory(
          as: UInt8.self, repeating: 0, count: stride - used)
      }
    }
    self.init(
      kind: .video, pts: pts,
      planes: offsets.map { Plane(base: base + $0.offset, stride: $0.stride) }, buffer: buffer)
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
  }

  /// A block of audio with memory of its own.
  ///
  /// The samples are not initialized, the bytes after each plane are 0.
  ///
  /// Nil where the format is not known, there are no channels, or no samples.
  public init?(
    sampleFormat: SampleFormat, channelLayout: ChannelLayout, sampleRate: Int, sampleCount: Int,
    pts: Int64? = nil
  ) {
    let channels = channelLayout.channelCount
    guard sampleFormat.bytesPerSample > 0, (1...64).contains(channels), sampleCount > 0 else {
      return nil
    }
    let planeCount = sampleFormat.isPlanar ? channels : 1
    let bytes = sampleCount * sampleFormat.bytesPerSample * (sampleFormat.isPlanar ? 1 : channels)
    let stride = (bytes + 63) & ~63
    let buffer = MediaBuffer(count: stride * planeCount)
    guard let base = buffer.bytes.baseAddress else { return nil }
    for plane in 1...planeCount {
      (base + plane * stride - (stride - bytes)).initializeMemory(
        as: UInt8.self, repeating: 0, count: stride - bytes)
    }
    self.init(
      kind: .audio, pts: pts,
      planes: (0..<planeCount).map { Plane(base: base + $0 * stride, stride: stride) },
      buffer: buffer)
    self.sampleFormat = sampleFormat
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.sampleCount = sampleCount
  }
}
