import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Locations that are written while a movie is recorded, and read back.
@Suite struct MetadataGuide {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    .rule("A metadata adaptor returns the groups of a track, and nil at the end"),
    arguments: ["mov", "mp4"])
  func `locations are written into the movie and read back`(container: String) throws {
    let writer = try Writing.writer(scratch, "walk.\(container)", container)
    let pictures = Writing.videoInput()
    // Identifier and data type of the items in the track.
    let format = try FormatDescription(metadataSpecifications: [
      MetadataSpecification(identifier: TimedMetadata.place, dataType: .utf8)
    ])
    let places = AssetWriterInput(mediaType: .metadata, settings: nil, sourceFormatHint: format)
    #expect(places.canAddTrackAssociation(withTrackOf: pictures, type: .metadataReferent))
    places.addTrackAssociation(withTrackOf: pictures, type: .metadataReferent)
    let adaptor = AssetWriterInputMetadataAdaptor(assetWriterInput: places)
    try Writing.start(writer, [pictures, places])
    let walk = ["+48.1371+011.5754/", "+48.1372+011.5755/", "+48.1374+011.5757/"]
    for number in 0..<25 {
      try #require(pictures.append(Writing.picture(number)))
      // The duration of a group is unknown when the group is appended.
      if number % 10 == 0 {
        try #require(adaptor.append(TimedMetadata.group(walk[number / 10], number, nil)))
      }
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")

    #expect(
      try TimedMetadata.groups(writer.path) == [
        TimedMetadata.group(walk[0], 0, 10), TimedMetadata.group(walk[1], 10, 10),
        TimedMetadata.group(walk[2], 20, 5),
      ])
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .metadata).first)
    let video = try #require(try asset.tracks(withMediaType: .video).first)
    #expect(track.formatDescription.metadataSpecifications == format.metadataSpecifications)
    #expect(
      try asset.mediaDescription().references == [
        .init(track: 1, type: "cdsc", trackID: video.trackID)
      ])
    #expect(track.metadata.isEmpty)
    #expect(try asset.duration() == Writing.time(25))
    #expect(try streams(writer.path) == ["video,avc1,25", "data,mebx,3"])
  }

  @Test func `the value at a time is the last one before it`() throws {
    let path = try TimedMetadata.movie(scratch)
    let range = TimeRange(start: Writing.time(12), duration: Writing.time(3))
    let groups = try TimedMetadata.groups(path, in: range)
    #expect(groups.map { $0.items.first?.stringValue } == ["second"])
    #expect(groups.first?.timeRange.end == range.end)
  }

  @Test(.rule) func `a metadata adaptor requires a track of metadata`() throws {
    let asset = Asset(path: try TimedMetadata.movie(scratch), registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderTrackOutput(
      track: try asset.tracks(withMediaType: .video)[0], settings: nil)
    let adaptor = AssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
    try reader.add(output)
    try #require(reader.startReading())
    #expect(adaptor.nextTimedMetadataGroup() == nil)
    #expect(reader.status == .failed && reader.error?.code == .invalidArgument)
  }

  /// Returns media type, FourCC and packet count of each stream, as reported by ffprobe.
  private func streams(_ path: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // Warnings are off: ffprobe warns of every data stream, as it has no codec for any.
    process.arguments = [
      "ffprobe", "-v", "error", "-of", "csv=p=0", "-count_packets", "-show_entries",
      "stream=codec_type,codec_tag_string,nb_read_packets", path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: ","))
    }
  }
}
