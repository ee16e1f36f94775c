public import RespoolMedia

/// A filter: changes or measures frames.
///
/// One thread at a time calls a filter; not always the same one. All frames have the format and the size of
/// the track in the settings. The host passes on side data: a frame without it gets that of the frames that
/// came in.
public protocol Filter: AnyObject, SendableMetatype {
  /// Name, accepted formats and options of the filter; `kind` is `.filter`, and `filteredMedia` is set.
  static var description: FactoryDescription { get }

  init(settings: FilterSettings) throws(MediaError)

  /// Description of the frames that come out: size, formats, rates, field order and time base. Complete after `init`.
  var track: TrackDescription { get }

  /// Takes a frame, or `nil` to drain. A filter does not write to the frame's memory.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding

  /// Returns the next frame, with its time in the time base of `track`.
  ///
  /// A duration of 0 means: up to the next frame.
  func receive() throws(MediaError) -> Output<Frame>

  /// Measurements, complete after `receive` returned `end`. The default has none.
  var results: [FilterResult] { get }
}

extension Filter {
  public var results: [FilterResult] { [] }
}
