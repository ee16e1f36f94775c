public import RespoolMedia

/// Makes one picture out of the pictures of several tracks.
///
/// A renderer calls it from one thread at a time. Each request must be finished exactly once, from
/// any thread, at once or later; a request that is let go of unfinished counts as failed.
public protocol VideoCompositing: AnyObject, Sendable {
  /// The pixel formats that source frames may have; empty for any.
  ///
  /// Frames of other formats are converted to the first.
  var sourcePixelFormats: [PixelFormat] { get }
  /// The pixel formats that the frames which it makes may have; empty for any.
  ///
  /// The context's pool gives frames of the composition's own format where that is among them, else
  /// of the first.
  var requiredPixelFormatsForRenderContext: [PixelFormat] { get }
  /// Whether it conforms the colour of source frames to that of the context itself, where they differ.
  ///
  /// True unless it says otherwise. Where it is false, frames are converted to the context's colour.
  var canConformColorOfSourceFrames: Bool { get }
  /// Whether it takes source frames of wide colour, such as BT.2020; false unless it says otherwise.
  ///
  /// Nothing is converted because of it: frames of standard range come in the colour that their tracks have. A
  /// compositor that takes no other gives false for `canConformColorOfSourceFrames` and sets the colour of the
  /// composition.
  var supportsWideColorSourceFrames: Bool { get }
  /// Whether it takes source frames of high dynamic range; false unless it says otherwise.
  ///
  /// Where it is false, frames of PQ and HLG come in BT.709, their tones mapped, and what is composed is BT.709
  /// unless the composition says otherwise. Where it is true, wide colour comes as well.
  var supportsHDRSourceFrames: Bool { get }
  /// Says which pictures will be asked for next, before the context is there; a good time to load what is
  /// needed for them.
  func anticipateRendering(using renderHint: VideoCompositionRenderHint)
  /// Asks to do now what has to be done before the first of these pictures; rendering waits for it.
  func prerollForRendering(using renderHint: VideoCompositionRenderHint)
  /// Comes before the first request, and again whenever the context is another.
  func renderContextChanged(_ newRenderContext: VideoCompositionRenderContext)
  /// Asks for a picture.
  func startRequest(_ request: AsynchronousVideoCompositionRequest)
  /// Asks to finish what is pending soon, as cancelled or otherwise.
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

/// Which pictures of a composition will be asked for.
public struct VideoCompositionRenderHint: Hashable, Sendable {
  public let startCompositionTime: MediaTime
  /// The first time for which none will be.
  public let endCompositionTime: MediaTime
}

/// A type that can be made without arguments, so that a composition can name it by its type alone.
///
/// ``VideoCompositing`` itself asks for no initialiser, as Apple's does not; there every class has
/// one from NSObject.
public protocol DefaultInitializable {
  init()
}
