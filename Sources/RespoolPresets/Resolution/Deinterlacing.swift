import RespoolMedia

/// The deinterlacing of interlaced video that a preset encodes.
struct Deinterlacing {
  let input: ResolutionInput

  /// Name of the filter, which passes frames on unchanged that are not interlaced.
  private static let filter = "bwdif"

  /// Filters that need the fields: a preset that has one of them decides itself.
  private static let filtersOfFields: Set<String> = [
    filter, "yadif", "fieldmatch", "w3fdif", "estdif", "kerndeint", "nnedi", "telecine", "pullup",
    "detelecine", "separatefields", "idet",
  ]

  /// Returns the filters of a track: those of the preset, after one that deinterlaces if that is needed.
  func filters(_ wanted: Preset.Video, for track: TrackDescription, _ recorder: DecisionRecorder)
    -> [Preset.Filter]
  {
    guard track.fieldOrder.isInterlaced, wanted.deinterlace != .never,
      // A preset that copies whatever it can keeps what it cannot copy as it is.
      wanted.passThrough != .any || wanted.deinterlace == .fields,
      !wanted.filters.contains(where: { Self.filtersOfFields.contains($0.name) })
    else { return wanted.filters }
    let name = Self.filter
    guard
      input.available.filters(of: .video)
        .factory(named: name, by: \.description, plugin: \.plugin) != nil
    else {
      recorder.record(
        "deinterlace", "no", "no plugin has the filter \(name), so that fields are kept",
        isWarning: true)
      return wanted.filters
    }
    let isEach = wanted.deinterlace == .fields
    let order = track.fieldOrder == .topFirst ? "top field first" : "bottom field first"
    let result = isEach ? "a frame for each field" : "a frame for each pair of fields"
    recorder.record(
      "deinterlace", wanted.deinterlace.rawValue, "the source is interlaced, \(order): \(result)",
      note: "\(recorder.subject): deinterlaced, \(result); the source has the \(order)")
    let options = [
      PluginOption("mode", isEach ? "send_field" : "send_frame"),
      PluginOption("deint", "interlaced"),
    ]
    return [Preset.Filter(name, options: options)] + wanted.filters
  }
}
