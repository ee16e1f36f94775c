import RespoolMedia

/// A resolver of the filters that decoded frames of a track pass.
///
/// It opens each filter for the frames that come out of the one before, because only an open filter knows the
/// frames that it returns.
struct FilterResolver {
  let input: ResolutionInput

  /// Returns the filters with the frames that come out; `nil` for an empty list.
  ///
  /// The first ones, `addedCount` of them, are not named by the preset. Throws the error of a filter that is missing, or
  /// that does not accept its options or the frames.
  func filters(
    _ wanted: [Preset.Filter], addedCount: Int = 0, of track: TrackDescription, _ index: Int,
    _ recorder: DecisionRecorder
  ) throws(MediaError) -> TrackFilters? {
    guard !wanted.isEmpty else { return nil }
    let media: Frame.Kind = track.kind == .video ? .video : .audio
    var result = TrackFilters(filters: [], output: track)
    for (number, filter) in wanted.enumerated() {
      let all = input.available.filters(of: media)
      guard let factory = all.factory(named: filter.name, by: \.description, plugin: \.plugin)
      else {
        throw MediaError(
          .unsupported,
          "no plugin has the \(media) filter \(filter.name), which preset \(input.preset.name) asks "
            + "for; there are \(Spelling.list(all.map(\.description.name)))",
          file: input.preset.path)
      }
      let description = factory.description
      let accepted = result.output.accepted(by: description)
      var output: TrackDescription
      do throws(MediaError) {
        output = try input.available.filtered(
          factory, FilterSettings(track: accepted, options: filter.options))
      } catch {
        var error = error
        error.track = index
        throw error
      }
      record(
        filter, description, isAdded: number < addedCount, from: accepted, to: output, recorder)
      recordBits(description, from: result.output, to: accepted, recorder)
      if accepted.fieldOrder.isInterlaced, output.fieldOrder == .unknown {
        recordLostFields(description, recorder)
        output.fieldOrder = .progressive
      }
      result.filters.append(.init(factory: factory, options: filter.options))
      // Frames pass a filter that only measures unchanged.
      if !description.flags.contains(.measuresOnly) { result.output = output }
    }
    // Formats that the source does not state are only assumed.
    if track.pixelFormat == .none { result.output.pixelFormat = .none }
    if track.sampleFormat == .none { result.output.sampleFormat = .none }
    return result
  }

  /// Records the loss of a filter after which the rows of an interlaced frame are no fields.
  private func recordLostFields(_ filter: FactoryDescription, _ recorder: DecisionRecorder) {
    let reason =
      "the source is interlaced, and the filter \(filter.name) keeps no field order: motion shows combing"
    recorder.record(
      "filters.\(filter.name).fields", "none", reason,
      loss: "\(recorder.subject): \(reason); bwdif before it deinterlaces")
  }

  /// Records the loss of a filter that takes fewer bits.
  private func recordBits(
    _ filter: FactoryDescription, from track: TrackDescription, to accepted: TrackDescription,
    _ recorder: DecisionRecorder
  ) {
    guard !filter.flags.contains(.measuresOnly), let before = track.pixelFormat.layout,
      let after = accepted.pixelFormat.layout, after.depth < before.depth
    else { return }
    let reason =
      "the filter \(filter.name) takes \(accepted.pixelFormat), so that \(track.pixelFormat) loses bits"
    recorder.record(
      "filters.\(filter.name).pixelFormat", accepted.pixelFormat.name, reason,
      loss: "\(recorder.subject): \(reason)")
  }

  private func record(
    _ filter: Preset.Filter, _ description: FactoryDescription, isAdded: Bool,
    from accepted: TrackDescription, to output: TrackDescription, _ recorder: DecisionRecorder
  ) {
    let options = filter.options.completed(by: description.chosenOptions)
      .map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    var effects: [String] = []
    if description.flags.contains(.measuresOnly) {
      effects.append("measures without a change")
    } else if accepted.kind == .video {
      if (accepted.width, accepted.height) != (output.width, output.height) {
        effects.append("frames become \(output.width)x\(output.height)")
      }
      if accepted.frameRate != output.frameRate, output.frameRate.isPositive {
        effects.append("\(output.frameRate.decimalText) frames a second")
      }
      if accepted.fieldOrder != output.fieldOrder, output.fieldOrder == .progressive {
        effects.append("frames become progressive")
      }
      if accepted.pixelFormat != output.pixelFormat {
        effects.append("the pixel format becomes \(output.pixelFormat)")
      }
    }
    recorder.record(
      "filters.\(description.name)", options.isEmpty ? "defaults" : options,
      ([
        isAdded
          ? "for the \(description.name == Cropping.filter ? "borders" : "fields") of the source"
          : "from the preset"
      ] + effects).joined(
        separator: "; ")
    )
  }
}
