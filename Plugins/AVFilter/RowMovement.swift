import CAVFilter
import RespoolPlugin

/// The way in which a filter moves rows, which decides the field order of its frames.
///
/// libavfilter leaves the fields of a frame marked as they came in.
enum RowMovement {
  /// Each row keeps its field.
  case none
  /// Frames come out without fields.
  case deinterlacing
  /// The last row becomes the first one.
  case flip
  /// Rows become columns, unless the option `passthrough` keeps a frame as it is.
  case rotation
  /// Rows before that of the option `y` are cut off; `exact` allows any row in a format with subsampled chroma.
  case cropping
  /// Rows are added before the first one: as many as the option `y`.
  case padding

  /// Returns the change of the field order by a filter that is open.
  func change(from input: TrackDescription, to output: TrackDescription, _ options: [PluginOption])
    -> FieldChange
  {
    switch self {
    case .none: return .none
    case .deinterlacing: return .deinterlaced
    case .flip: return input.height.isMultiple(of: 2) ? .swapped : .none
    case .rotation:
      let mode = options.last { $0.name == "passthrough" }?.value
      let isSame = (input.width, input.height) == (output.width, output.height)
      return isSame && mode != nil && mode != "none" && mode != "0" ? .none : .lost
    case .cropping:
      guard let row = Self.row(options, otherwise: "(in_h-out_h)/2", input, output) else {
        return .lost
      }
      let isExact = options.last { $0.name == "exact" }.map { !["0", "false"].contains($0.value) }
      let first = min(max(row, 0), input.height - output.height)
      return .offset(isExact == true ? first : Self.round(first, input))
    case .padding:
      guard let row = Self.row(options, otherwise: "0", input, output) else { return .lost }
      let room = output.height - input.height
      return .offset(Self.round((0...max(0, room)).contains(row) ? row : room / 2, input))
    }
  }

  /// Returns the value of the option `y`, truncated as libavfilter does.
  ///
  /// `nil` if it depends on a frame, so that the field order may change from frame to frame.
  private static func row(
    _ options: [PluginOption], otherwise initial: String, _ input: TrackDescription,
    _ output: TrackDescription
  ) -> Int? {
    let expression = options.last { $0.name == "y" }?.value ?? initial
    var sizes = avfilter_sizes()
    (sizes.in_w, sizes.in_h) = (Double(input.width), Double(input.height))
    (sizes.out_w, sizes.out_h) = (Double(output.width), Double(output.height))
    let value = avfilter_evaluate(expression, &sizes)
    return abs(value) <= 32768 ? Int(value) : nil
  }

  /// Rounds a row down to one that has chroma samples of its own.
  private static func round(_ row: Int, _ track: TrackDescription) -> Int {
    let shift = track.pixelFormat.layout?.log2ChromaHeight ?? 0
    return (row >> shift) << shift
  }
}

/// The change of the field order by a filter.
enum FieldChange: Equatable {
  case none
  case swapped
  /// Frames come out without fields, and libavfilter marks those that still have them.
  case deinterlaced
  /// Rows of both fields are mixed, or the order is unknown.
  case lost

  /// Creates the change by rows that are added or removed at the top.
  static func offset(_ rows: Int) -> FieldChange { rows.isMultiple(of: 2) ? .none : .swapped }

  /// Returns the field order of the output.
  func order(after order: TrackDescription.FieldOrder) -> TrackDescription.FieldOrder {
    switch (self, order) {
    case (.deinterlaced, _): .progressive
    case (.swapped, .topFirst): .bottomFirst
    case (.swapped, .bottomFirst): .topFirst
    case (.lost, .topFirst), (.lost, .bottomFirst): .unknown
    default: order
    }
  }

  /// Changes the flags of a frame of the output.
  func apply(to flags: inout Frame.Flags) {
    guard flags.contains(.interlaced) else { return }
    switch self {
    case .none, .deinterlaced: break
    case .swapped: flags.formSymmetricDifference(.topFieldFirst)
    case .lost: flags.subtract([.interlaced, .topFieldFirst])
    }
  }
}
