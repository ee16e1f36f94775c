import RespoolMedia

/// Metadata for a range of the time line, such as a camera's position or a chapter's title.
public struct TimedMetadataGroup: Hashable, Sendable {
  /// Items of the group.
  ///
  /// Empty if there is no metadata for that time.
  public var items: [MetadataItem]
  /// Range in which the items apply.
  ///
  /// When written, an invalid or indefinite duration lasts until the next group.
  public var timeRange: TimeRange

  public init(items: [MetadataItem], timeRange: TimeRange) {
    (self.items, self.timeRange) = (items, timeRange)
  }

  /// Creates the group of a sample of timed metadata; `nil` for other samples.
  public init?(sampleBuffer: SampleBuffer) {
    guard let coding = try? TimedMetadataCoding(sampleBuffer.formatDescription),
      let group = coding.group(of: sampleBuffer)
    else { return nil }
    self = group
  }

  /// Format of a track that can hold the items; the format hint for a writer's input.
  ///
  /// An item without a data type is stored as text, number or data, according to its value. `nil` if there are no
  /// items, or if one has no identifier. Also `nil` if an item has neither a data type nor a value that implies one.
  public var formatDescription: FormatDescription? {
    var specifications: [MetadataSpecification] = []
    for item in items {
      guard let identifier = item.identifier, let type = item.dataType ?? item.value?.usualType
      else { return nil }
      specifications.append(
        MetadataSpecification(
          identifier: identifier, dataType: type, extendedLanguageTag: item.extendedLanguageTag))
    }
    return try? FormatDescription(metadataSpecifications: specifications)
  }
}

extension MetadataItem.Value {
  /// Data type that stores the value without loss.
  ///
  /// `nil` for several numbers, which fit several types.
  fileprivate var usualType: MetadataDataType? {
    switch self {
    case .string: .utf8
    case .integer: .int64
    case .real: .float64
    case .data: .rawData
    case .numbers: nil
    }
  }
}
