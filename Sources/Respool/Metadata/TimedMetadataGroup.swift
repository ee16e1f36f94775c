import RespoolMedia

/// Metadata that holds for a part of the time line: where a camera was, what it saw, a chapter's title.
public struct TimedMetadataGroup: Hashable, Sendable {
  /// None: nothing holds for that time.
  public var items: [MetadataItem]
  /// Where it is written, a duration that is invalid or indefinite lasts until the next group.
  public var timeRange: TimeRange

  public init(items: [MetadataItem], timeRange: TimeRange) {
    (self.items, self.timeRange) = (items, timeRange)
  }

  /// What is in a sample of a track of timed metadata; nil for other samples.
  public init?(sampleBuffer: SampleBuffer) {
    guard let coding = try? TimedMetadataCoding(sampleBuffer.formatDescription),
      let group = coding.group(of: sampleBuffer)
    else { return nil }
    self = group
  }

  /// The format of a track that takes the items: what a writer's input is told beforehand.
  ///
  /// An item that has no data type is stored as text, number or data, as its value is. Nil where there are no
  /// items, and where one has no identifier or neither type nor value that tell how it is stored.
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
  /// The type in which nothing of it is lost; nil for several numbers, which may be anything.
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
