import RespoolMedia

/// The removal of black borders from video that a preset encodes.
struct Cropping {
  let input: ResolutionInput

  /// Name of the filter.
  static let filter = "crop"

  /// Returns `true` if the frames of a track are to be looked at for borders before they are encoded.
  func looks(at track: TrackDescription, _ index: Int, _ wanted: Preset.Video) -> Bool {
    wanted.crop == .auto && input.showsFrames && input.seen[index] == nil && track.isMovingPicture
      && isPossible
  }

  private var isPossible: Bool {
    input.available.filters(of: .video).factory(
      named: Self.filter, by: \.description, plugin: \.plugin) != nil
  }

  /// Returns the filter that removes borders, if there are any.
  func filters(
    _ wanted: Preset.Video, for track: TrackDescription, _ index: Int, _ recorder: DecisionRecorder
  ) -> [Preset.Filter] {
    guard wanted.crop == .auto else { return [] }
    guard isPossible else {
      recorder.record(
        "crop", "no", "no plugin has the filter \(Self.filter), which removes black borders",
        isWarning: true)
      return []
    }
    guard let seen = input.seen[index] else {
      let looks = looks(at: track, index, wanted)
      recorder.record(
        "crop", looks ? wanted.crop.rawValue : "no",
        looks
          ? "the film is looked at before the conversion"
          : "only files that are converted as a whole are looked at",
        note: looks
          ? nil
          : "\(recorder.subject): black borders stay: only files that are converted as a whole, without edits, are "
            + "looked at")
      return []
    }
    guard let area = seen.area else {
      recorder.record("crop", "no", "all frames that were looked at are black")
      return []
    }
    // Chroma may have half the columns and rows, and each field half the rows.
    let kept = area.aligned(
      columns: 2, rows: track.fieldOrder.isInterlaced ? 4 : 2, width: track.width,
      height: track.height)
    let (right, bottom) = (
      track.width - kept.x - kept.width, track.height - kept.y - kept.height
    )
    guard right >= 0, bottom >= 0, kept.x + kept.y + right + bottom > 0 else {
      recorder.record("crop", "no", "the frames have no black borders")
      return []
    }
    let borders = [
      (kept.x, "left"), (right, "right"), (kept.y, "at the top"), (bottom, "at the bottom"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let words = "black borders are removed: \(borders.joined(separator: ", ")) pixels"
    recorder.record(
      "crop", "\(kept.width)x\(kept.height)+\(kept.x)+\(kept.y)", words,
      note: "\(recorder.subject): \(words)")
    return [
      Preset.Filter(
        Self.filter,
        options: [
          PluginOption("w", "\(kept.width)"), PluginOption("h", "\(kept.height)"),
          PluginOption("x", "\(kept.x)"), PluginOption("y", "\(kept.y)"),
        ])
    ]
  }
}
