import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Location tracks for tests, and the timed metadata groups of a file.
enum TimedMetadata {
  static let place = MetadataIdentifier.quickTimeMetadataLocationISO6709

  static func format(_ identifier: MetadataIdentifier = place) throws -> FormatDescription {
    try FormatDescription(metadataSpecifications: [
      MetadataSpecification(identifier: identifier, dataType: .utf8)
    ])
  }

  static func input(_ identifier: MetadataIdentifier = place) throws -> AssetWriterInput {
    AssetWriterInput(mediaType: .metadata, settings: nil, sourceFormatHint: try format(identifier))
  }

  /// Creates a group with one item, or without items if `text` is `nil`.
  ///
  /// Times are in units of 1/25 s. The duration is invalid if `duration` is `nil`.
  static func group(
    _ text: String?, _ start: Int, _ duration: Int?, _ identifier: MetadataIdentifier = place
  ) -> TimedMetadataGroup {
    var items: [MetadataItem] = []
    if let text {
      var item = MetadataItem(identifier: identifier, value: .string(text))
      item.dataType = .utf8
      items.append(item)
    }
    return TimedMetadataGroup(
      items: items,
      timeRange: TimeRange(
        start: Writing.time(start), duration: duration.map { Writing.time($0) } ?? .invalid))
  }

  /// Returns the groups of a file's first metadata track.
  static func groups(_ path: String, in range: TimeRange? = nil) throws -> [TimedMetadataGroup] {
    let asset = Asset(path: path, registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .metadata).first, "no metadata")
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    let adaptor = AssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
    try reader.add(output)
    if let range { reader.timeRange = range }
    try #require(reader.startReading())
    var groups: [TimedMetadataGroup] = []
    while let group = adaptor.nextTimedMetadataGroup() { groups.append(group) }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return groups
  }

  /// Writes a movie of one second of video and a location track that refers to it, and returns its path.
  ///
  /// The first location lasts 10 frames, the second one 15.
  static func movie(
    _ scratch: Scratch, _ name: String = "places.mov", _ container: String = "mov",
    of identifier: MetadataIdentifier = place
  ) throws -> String {
    let writer = try Writing.writer(scratch, name, container)
    let (video, places) = (Writing.videoInput(), try input(identifier))
    places.addTrackAssociation(withTrackOf: video, type: .metadataReferent)
    let adaptor = AssetWriterInputMetadataAdaptor(assetWriterInput: places)
    try Writing.start(writer, [video, places])
    for number in 0..<25 {
      try #require(video.append(Writing.picture(number)))
      if number == 0 { try #require(adaptor.append(group("first", 0, 10, identifier))) }
      if number == 10 { try #require(adaptor.append(group("second", 10, 15, identifier))) }
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }
}
