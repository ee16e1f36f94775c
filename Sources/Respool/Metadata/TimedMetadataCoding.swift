import RespoolMedia

/// Converts samples of one track of timed metadata to groups, and groups to samples.
struct TimedMetadataCoding: Sendable {
  struct Key: Sendable {
    let localID: UInt32
    let specification: MetadataSpecification
    /// Code of one of QuickTime's well-known types.
    let code: UInt32
  }

  let format: FormatDescription
  let keys: [Key]

  /// Throws `invalidArgument` if the format is not timed metadata, `malformed` if its keys are damaged.
  init(_ format: FormatDescription) throws(MediaError) {
    guard format.track.isTimedMetadata else {
      throw MediaError(
        .invalidArgument, "the format is \(format.mediaType.rawValue), not timed metadata")
    }
    self.format = format
    keys = try MetadataKeyTable(extradata: format.track.extradata).keys.map {
      Key(localID: $0.localID, specification: $0.specification, code: $0.code)
    }
  }

  /// Returns the group of a sample; `nil` if it is not a metadata sample or is not shown.
  func group(of sample: SampleBuffer) -> TimedMetadataGroup? {
    guard case .packet(let packet) = sample.content, !packet.flags.contains(.discard),
      let buffer = sample.dataBuffer
    else { return nil }
    let values = MetadataSample(Array(buffer.readOnly)).values
    // Values without a key are unreachable (QuickTime File Format, "Metadata key table atom").
    let items = values.compactMap { value -> MetadataItem? in
      guard let key = keys.first(where: { $0.localID == value.localID }) else { return nil }
      var item = MetadataItem(
        identifier: key.specification.identifier,
        value: MetadataItem.Value(value.bytes, code: key.code),
        extendedLanguageTag: key.specification.extendedLanguageTag)
      item.dataType = key.specification.dataType
      (item.time, item.duration) = (sample.presentationTimeStamp, sample.duration)
      return item
    }
    return TimedMetadataGroup(
      items: items,
      timeRange: TimeRange(start: sample.presentationTimeStamp, duration: sample.duration))
  }

  /// Returns the sample of a group; throws `invalidArgument` for an item that the format does not allow.
  func sample(of group: TimedMetadataGroup) throws(MediaError) -> SampleBuffer {
    var sample = MetadataSample()
    for item in group.items { sample.values.append(try value(of: item)) }
    let packet = Packet(
      track: 0, pts: nil, dts: nil, flags: .key, payload: .bytes(MediaBuffer(sample.bytes)))
    let range = group.timeRange
    return SampleBuffer(
      .packet(packet), format: format, timeBase: Rational(1, max(1, range.start.timescale)),
      timing: SampleTiming(duration: range.duration, presentationTimeStamp: range.start))
  }

  private func value(of item: MetadataItem) throws(MediaError) -> MetadataSample.Value {
    let name = item.identifier?.rawValue ?? "an item without an identifier"
    guard let identifier = item.identifier, let value = item.value else {
      throw MediaError(.invalidArgument, "\(name) has no value or no identifier")
    }
    let known = keys.filter {
      $0.specification.identifier == identifier
        && $0.specification.extendedLanguageTag == item.extendedLanguageTag
        && (item.dataType == nil || item.dataType == $0.specification.dataType)
    }
    for key in known {
      if let bytes = value.bytes(code: key.code) {
        return MetadataSample.Value(localID: key.localID, bytes: bytes)
      }
    }
    let form =
      (item.dataType.map { ", \($0.rawValue)" } ?? "")
      + (item.extendedLanguageTag.map { ", \($0)" } ?? "")
    guard known.isEmpty else {
      throw MediaError(
        .invalidArgument, "the value of \(name)\(form) does not have the data type of the track"
      )
    }
    throw MediaError(
      .invalidArgument,
      "\(name)\(form) is not in the input's format hint, which has "
        + keys.map { $0.specification.words }.joined(separator: "; "))
  }
}

extension MetadataSpecification {
  fileprivate var words: String {
    "\(identifier.rawValue), \(dataType.rawValue)" + (extendedLanguageTag.map { ", \($0)" } ?? "")
  }
}
