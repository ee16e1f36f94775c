/// One decoded video frame or one block of audio.
///
/// The memory belongs to `buffer`. It must not be written to after the frame has been passed on.
// Sendable: the planes point into the buffer, which is not written to after the frame has been passed on.
public struct Frame: @unchecked Sendable {
  /// Media of a frame.
  public enum Kind: Sendable { case video, audio }

  /// Properties of a frame, such as damage and interlacing.
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let key = Flags(rawValue: 1)
    public static let corrupt = Flags(rawValue: 2)
    public static let interlaced = Flags(rawValue: 4)
    public static let topFieldFirst = Flags(rawValue: 8)
    /// For an encoder: decoding must be able to start with this frame.
    public static let mustBeKey = Flags(rawValue: 16)
  }

  /// Memory with rows of pixels (video) or with audio samples.
  public struct Plane {
    public var base: UnsafeMutableRawPointer
    /// Number of bytes from one row to the next.
    ///
    /// May be negative.
    ///
    /// Audio: number of bytes of the plane.
    public var stride: Int

    public init(base: UnsafeMutableRawPointer, stride: Int) {
      self.base = base
      self.stride = stride
    }
  }

  /// Order of the two fields.
  ///
  /// `nil` if the frame is not interlaced.
  public var fieldOrder: TrackDescription.FieldOrder? {
    guard flags.contains(.interlaced) else { return nil }
    return flags.contains(.topFieldFirst) ? .topFirst : .bottomFirst
  }

  public var kind: Kind
  /// Presentation time in the time base of the track.
  public var pts: Int64?
  /// Duration in the time base of the track.
  ///
  /// 0 if unknown.
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

  /// Data that applies to this frame, such as HDR10+ metadata and closed captions.
  public var sideData: [SideData] = []

  // Audio
  public var sampleFormat: SampleFormat = .none
  public var sampleRate = 0
  public var channelLayout = ChannelLayout(channelCount: 0)
  /// Number of audio samples of each channel.
  public var sampleCount = 0

  public init(kind: Kind, pts: Int64?, planes: [Plane], buffer: MediaBuffer) {
    self.kind = kind
    self.pts = pts
    self.planes = planes
    self.buffer = buffer
  }
}

extension Frame {
  /// Size in bytes without the padding of rows.
  ///
  /// 0 if the format is unknown.
  ///
  /// This may differ from the size of the buffer: a decoder's buffer may cover only one of several planes.
  public var byteCount: Int {
    guard kind == .video else {
      return sampleCount * sampleFormat.bytesPerSample * channelLayout.channelCount
    }
    guard let layout = pixelFormat.layout else { return 0 }
    return (0..<layout.planeCount).reduce(0) {
      $0 + layout.rowBytes(ofPlane: $1, for: width) * layout.height(ofPlane: $1, for: height)
    }
  }

  /// Creates a video frame with its own memory and rows aligned to 64 bytes.
  ///
  /// The rows are not initialized, the bytes between them are 0.
  ///
  /// `nil` if the format is unknown, or if width or height is not from 1 to 32,768.
  public init?(pixelFormat: PixelFormat, width: Int, height: Int, pts: Int64? = nil) {
    self.init(pixelFormat: pixelFormat, width: width, height: height, pts: pts) {
      MediaBuffer(count: $0)
    }
    guard let layout = pixelFormat.layout else { return nil }
    for (index, plane) in planes.enumerated() {
      let used = layout.rowBytes(ofPlane: index, for: width)
      guard used < plane.stride else { continue }
      for row in 0..<layout.height(ofPlane: index, for: height) {
        (plane.base + row * plane.stride + used).initializeMemory(
          as: UInt8.self, repeating: 0, count: plane.stride - used)
      }
    }
  }

  /// Creates a video frame in memory that `allocate` returns for a number of bytes.
  ///
  /// Each plane has rows up to a height that is a multiple of `rowMultiple`.
  package init?(
    pixelFormat: PixelFormat, width: Int, height: Int, pts: Int64?, rowMultiple: Int = 1,
    allocate: (Int) -> MediaBuffer
  ) {
    guard let layout = pixelFormat.layout, (1...32768).contains(width),
      (1...32768).contains(height)
    else { return nil }
    let rows = (height + rowMultiple - 1) / rowMultiple * rowMultiple
    var offsets: [(offset: Int, stride: Int)] = []
    var total = 0
    for plane in 0..<layout.planeCount {
      let stride = (layout.rowBytes(ofPlane: plane, for: width) + 63) & ~63
      offsets.append((total, stride))
      total += stride * layout.height(ofPlane: plane, for: rows)
    }
    let buffer = allocate(total)
    guard let base = buffer.bytes.baseAddress else { return nil }
    self.init(
      kind: .video, pts: pts,
      planes: offsets.map { Plane(base: base + $0.offset, stride: $0.stride) }, buffer: buffer)
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
  }

  /// Creates a block of audio with its own memory.
  ///
  /// The samples are not initialized, the padding at the end of each plane is 0.
  ///
  /// `nil` if the format is unknown, if there are no samples, or if the number of channels is not from 1 to 64.
  public init?(
    sampleFormat: SampleFormat, channelLayout: ChannelLayout, sampleRate: Int, sampleCount: Int,
    pts: Int64? = nil
  ) {
    self.init(
      sampleFormat: sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
      sampleCount: sampleCount, pts: pts
    ) { MediaBuffer(count: $0) }
    let used = byteCount / planes.count
    for plane in planes {
      (plane.base + used).initializeMemory(
        as: UInt8.self, repeating: 0, count: plane.stride - used)
    }
  }

  /// Creates a block of audio in memory that `allocate` returns for a number of bytes.
  package init?(
    sampleFormat: SampleFormat, channelLayout: ChannelLayout, sampleRate: Int, sampleCount: Int,
    pts: Int64?, allocate: (Int) -> MediaBuffer
  ) {
    let channels = channelLayout.channelCount
    guard sampleFormat.bytesPerSample > 0, (1...64).contains(channels), sampleCount > 0 else {
      return nil
    }
    let planeCount = sampleFormat.isPlanar ? channels : 1
    let bytes = sampleCount * sampleFormat.bytesPerSample * (sampleFormat.isPlanar ? 1 : channels)
    let stride = (bytes + 63) & ~63
    let buffer = allocate(stride * planeCount)
    guard let base = buffer.bytes.baseAddress else { return nil }
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
