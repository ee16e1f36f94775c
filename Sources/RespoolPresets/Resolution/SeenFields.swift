package import RespoolMedia

/// The fields that frames of a video track were seen to have, whatever its file states.
package enum SeenFields: Hashable, Sendable {
  case progressive
  /// Frames of two fields from different times, and perhaps others.
  case interlaced(TrackDescription.FieldOrder)
  /// Film of 24 frames a second in 30: two of five frames have fields of different frames of the film.
  case telecined(TrackDescription.FieldOrder)

  /// Name of the filter that counts frames with fields, and its options.
  ///
  /// By default it does not see repeated fields in film of ordinary compression; 2 finds them, and none in other film.
  package static let filter = (name: "idet", options: [PluginOption("rep_thres", "2")])

  package var order: TrackDescription.FieldOrder {
    switch self {
    case .progressive: .progressive
    case .interlaced(let order), .telecined(let order): order
    }
  }
}

extension SeenFields {
  /// Numbers of frames as the filter `idet` counts them.
  package struct Counts: Sendable {
    package var (topFirst, bottomFirst, progressive) = (0, 0, 0)
    /// Frames that repeat a field of the one before.
    package var (repeatedTop, repeatedBottom) = (0, 0)
    /// All frames.
    package var total = 0

    package init() {}
  }

  /// Decides from counts; `nil` if too few frames move.
  ///
  /// Drawings with fine lines make `idet` take progressive frames for interlaced, but with either order.
  package init?(_ counts: Counts, frameRate: Rational) {
    let interlaced = counts.topFirst + counts.bottomFirst
    let decided = Double(interlaced + counts.progressive)
    guard decided >= 10 else { return nil }
    let order: TrackDescription.FieldOrder =
      counts.topFirst >= counts.bottomFirst ? .topFirst : .bottomFirst
    let share = Double(interlaced) / decided
    let isOneOrder =
      Double(max(counts.topFirst, counts.bottomFirst)) >= 0.9 * Double(interlaced)
    // Two of five frames repeat a field of the one before.
    let repeated = counts.repeatedTop + counts.repeatedBottom
    let isTelecine =
      abs(frameRate.doubleValue - 29.97) < 0.1
      && (0.3...0.5).contains(Double(repeated) / Double(max(1, counts.total)))
      // Both fields take turns.
      && min(counts.repeatedTop, counts.repeatedBottom) * 4 >= repeated
    if isTelecine, isOneOrder, interlaced > 0 {
      self = .telecined(order)
    } else if share >= 0.1, interlaced >= 15, isOneOrder {
      self = .interlaced(order)
    } else if share <= 0.02, decided >= (interlaced == 0 ? 0.25 : 0.5) * Double(counts.total) {
      self = .progressive
    } else {
      return nil
    }
  }
}
