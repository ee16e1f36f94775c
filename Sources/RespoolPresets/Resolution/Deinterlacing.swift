import RespoolMedia

/// The deinterlacing of interlaced video that a preset encodes.
///
/// Files often state fields that their frames do not have, or none. Frames with a size and a rate of television are
/// looked at before the conversion, and what was seen decides.
struct Deinterlacing {
  let input: ResolutionInput

  /// Name of the filter, which passes frames on unchanged that are not marked as interlaced.
  private static let filter = "bwdif"
  /// Names of filters that mark frames: by looking at each, and all as progressive.
  private static let (marking, unmarking) = ("markfields", "setfield")
  private static let inverseTelecine = ["fieldmatch", "decimate"]
  private static let looking = SeenFields.filter.name

  /// Filters that need the fields: a preset that has one of them decides itself.
  private static let filtersOfFields: Set<String> = [
    filter, "yadif", "fieldmatch", "w3fdif", "estdif", "kerndeint", "nnedi", "telecine", "pullup",
    "detelecine", "separatefields", looking, marking, unmarking,
  ]

  /// Returns `true` if the frames of a track are to be looked at before they are encoded.
  func looks(at track: TrackDescription, _ index: Int, _ wanted: Preset.Video) -> Bool {
    guard input.showsFrames, input.seen[index] == nil, isWanted(wanted), track.isMovingPicture,
      ([Self.looking, Self.filter, Self.marking, Self.unmarking] + Self.inverseTelecine)
        .allSatisfy(has)
    else { return false }
    return track.fieldOrder.isInterlaced || Self.isTelevision(track)
  }

  /// `true` if the preset leaves the decision to its `deinterlace`, and that does not keep fields.
  private func isWanted(_ wanted: Preset.Video) -> Bool {
    wanted.deinterlace != .never
      // A preset that copies whatever it can keeps what it cannot copy as it is.
      && (wanted.passThrough != .any || wanted.deinterlace == .fields)
      && !wanted.filters.contains(where: { Self.filtersOfFields.contains($0.name) })
  }

  private func has(_ name: String) -> Bool {
    input.available.filters(of: .video).factory(named: name, by: \.description, plugin: \.plugin)
      != nil
  }

  /// Returns `true` if interlaced video has this form: that of ITU-R BT.601 or BT.709, perhaps with rows left out or
  /// added for a codec.
  private static func isTelevision(_ track: TrackDescription) -> Bool {
    let rate = track.frameRate.doubleValue
    guard !track.frameRate.isPositive || (24.5...30.5).contains(rate),
      track.displayMatrix.orientation.isUpright, !["vp8", "vp9", "av1"].contains(track.codec)
    else { return false }
    switch (track.width, track.height) {
    case (352...768, 478...488), (352...800, 574...576), (352...768, 608),
      (1280...1920, 1080...1088):
      return true
    default: return false
    }
  }

  /// Returns the filters that come before those of the preset; none if no frame is to be deinterlaced.
  func filters(
    _ wanted: Preset.Video, for track: TrackDescription, _ index: Int,
    _ recorder: DecisionRecorder
  ) -> [Preset.Filter] {
    guard isWanted(wanted) else { return [] }
    if let seen = input.seen[index]?.fields {
      return filters(seen, wanted, for: track, recorder)
    }
    guard track.fieldOrder.isInterlaced else {
      if looks(at: track, index, wanted) {
        recorder.record(
          "deinterlace", wanted.deinterlace.rawValue,
          "frames are looked at before the conversion; the source states no fields")
      }
      return []
    }
    guard has(Self.filter) else {
      recorder.record(
        "deinterlace", "no", "no plugin has the filter \(Self.filter), so that fields are kept",
        isWarning: true)
      return []
    }
    let isPreliminary = looks(at: track, index, wanted)
    record(
      "the source is interlaced"
        + (isPreliminary
          ? ", unless the look at its frames before the conversion shows others" : ""),
      track.fieldOrder, wanted, recorder)
    return [deinterlacer(wanted)]
  }

  private func filters(
    _ seen: SeenFields, _ wanted: Preset.Video, for track: TrackDescription,
    _ recorder: DecisionRecorder
  ) -> [Preset.Filter] {
    switch seen {
    case .progressive:
      guard track.fieldOrder != .progressive else { return [] }
      let isStated = track.fieldOrder.isInterlaced
      let words =
        (isStated ? "the file states fields, and " : "")
        + "the frames that were looked at are progressive"
      recorder.record(
        "deinterlace", "no", words,
        note: isStated ? "\(recorder.subject): not deinterlaced: \(words)" : nil)
      // Frames of a stream may be marked, whatever the file states.
      return [Preset.Filter(Self.unmarking, options: [PluginOption("mode", "prog")])]
    case .telecined(let order) where wanted.deinterlace == .auto:
      let words = "the frames are telecined film: its 24 frames a second are restored"
      recorder.record(
        "deinterlace", wanted.deinterlace.rawValue, words, note: "\(recorder.subject): \(words)")
      return [
        Preset.Filter(
          Self.inverseTelecine[0],
          options: [PluginOption("order", order == .topFirst ? "tff" : "bff")]),
        deinterlacer(wanted), Preset.Filter(Self.inverseTelecine[1]),
      ]
    case .interlaced(let order), .telecined(let order):
      record(
        track.fieldOrder == order
          ? "the source is interlaced" : "frames are interlaced, which the file does not state",
        order, wanted, recorder)
      return
        (track.fieldOrder == order ? [] : [Preset.Filter(Self.marking)]) + [deinterlacer(wanted)]
    }
  }

  private func deinterlacer(_ wanted: Preset.Video) -> Preset.Filter {
    Preset.Filter(
      Self.filter,
      options: [
        PluginOption("mode", wanted.deinterlace == .fields ? "send_field" : "send_frame"),
        PluginOption("deint", "interlaced"),
      ])
  }

  private func record(
    _ reason: String, _ fieldOrder: TrackDescription.FieldOrder, _ wanted: Preset.Video,
    _ recorder: DecisionRecorder
  ) {
    let order = fieldOrder == .topFirst ? "top field first" : "bottom field first"
    let result =
      wanted.deinterlace == .fields
      ? "a frame for each field" : "a frame for each pair of fields"
    recorder.record(
      "deinterlace", wanted.deinterlace.rawValue, "\(reason), \(order): \(result)",
      note: "\(recorder.subject): deinterlaced, \(result); \(reason), \(order)")
  }
}
