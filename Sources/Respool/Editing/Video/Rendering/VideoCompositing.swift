public import RespoolMedia

/// A compositor, which makes one frame out of the frames of several tracks.
///
/// A renderer calls it from one thread at a time. Each request must be finished exactly once, from
/// any thread, at once or later; a request that is released unfinished counts as failed.
public protocol VideoCompositing: AnyObject, Sendable {
  /// The pixel formats that source frames may have; empty for any.
  ///
  /// Frames of other formats are converted to the first.
  var sourcePixelFormats: [PixelFormat] { get }
  /// The pixel formats that composed frames may have; empty for any.
  ///
  /// The context's pool provides frames of the composition's own format if the list contains it, otherwise of
  /// the first format.
  var requiredPixelFormatsForRenderContext: [PixelFormat] { get }
  /// `true` if the compositor itself converts source frames to the color of the context when they differ.
  ///
  /// Default: `true`. If `false`, frames are converted to the context's color before it gets them.
  var canConformColorOfSourceFrames: Bool { get }
  /// `true` if the compositor accepts source frames of wide color, such as BT.2020.
  ///
  /// Default: `false`. The value causes no conversion: frames of standard range keep the color of their tracks. A
  /// compositor that accepts only one color returns `false` for `canConformColorOfSourceFrames`, and the
  /// composition's color is set.
  var supportsWideColorSourceFrames: Bool { get }
  /// `true` if the compositor accepts source frames of high dynamic range.
  ///
  /// Default: `false`. If `false`, frames of PQ and HLG are tone-mapped to BT.709, and the result is BT.709 unless
  /// the composition sets another color. If `true`, frames of wide color arrive as well.
  var supportsHDRSourceFrames: Bool { get }
  /// Announces the frames that will be requested next, before the context exists.
  ///
  /// A good time to load resources for them.
  func anticipateRendering(using renderHint: VideoCompositionRenderHint)
  /// Prepares for the first of the announced frames; rendering waits until it returns.
  func prerollForRendering(using renderHint: VideoCompositionRenderHint)
  /// Receives the context before the first request, and again whenever it changes.
  func renderContextChanged(_ newRenderContext: VideoCompositionRenderContext)
  /// Starts to compose a frame.
  func startRequest(_ request: AsynchronousVideoCompositionRequest)
  /// Finishes pending requests soon, as cancelled or otherwise.
  func cancelAllPendingVideoCompositionRequests()
}

extension VideoCompositing {
  public var sourcePixelFormats: [PixelFormat] { [] }
  public var requiredPixelFormatsForRenderContext: [PixelFormat] { [] }
  public var canConformColorOfSourceFrames: Bool { true }
  public var supportsWideColorSourceFrames: Bool { false }
  public var supportsHDRSourceFrames: Bool { false }
  public func anticipateRendering(using renderHint: VideoCompositionRenderHint) {}
  public func prerollForRendering(using renderHint: VideoCompositionRenderHint) {}
  public func renderContextChanged(_ newRenderContext: VideoCompositionRenderContext) {}
  public func cancelAllPendingVideoCompositionRequests() {}
}

/// The range of a composition from which frames will be requested.
public struct VideoCompositionRenderHint: Hashable, Sendable {
  public let startCompositionTime: MediaTime
  /// The end of the range, which is not requested itself.
  public let endCompositionTime: MediaTime
}

/// A type that can be created without arguments, so that a composition can name it by its type alone.
///
/// ``VideoCompositing`` itself requires no initializer, nor does Apple's protocol; there, every class inherits
/// one from NSObject.
public protocol DefaultInitializable {
  init()
}
