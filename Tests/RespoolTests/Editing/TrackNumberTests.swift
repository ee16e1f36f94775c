import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Track IDs of files, which identify tracks whatever their values are.
@Suite struct TrackNumberTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates an asset with a dark and a bright video track that have these track IDs.
  private func asset(_ numbers: [UInt32]) throws -> Asset {
    let writer = try Writing.writer(scratch)
    let inputs = [Writing.videoInput(), Writing.videoInput()]
    try Writing.start(writer, inputs)
    for number in 0..<5 {
      try #require(inputs[0].append(Writing.picture(number, gray: 40)))
      try #require(inputs[1].append(Writing.picture(number, gray: 200)))
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    var file = try Data(contentsOf: URL(filePath: writer.path))
    var rest = file.startIndex
    for number in numbers {
      let header = try #require(file.range(of: Data("tkhd".utf8), in: rest..<file.endIndex))
      // Two times of 4 or 8 bytes precede the track ID (ISO/IEC 14496-12 8.3.2).
      let place = header.upperBound + 4 + (file[header.upperBound] == 1 ? 16 : 8)
      file.replaceSubrange(place..<place + 4, with: number.bigEndianBytes)
      rest = header.upperBound
    }
    let path = scratch.path("numbered.mp4")
    try file.write(to: URL(filePath: path))
    return Asset(path: path, registry: Pipeline.registry)
  }

  /// Returns the luma of one pixel in each frame.
  private func grays(_ asset: Asset, _ composition: VideoComposition) throws -> [Int] {
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try asset.tracks(withMediaType: .video))
    output.videoComposition = composition
    try reader.add(output)
    try #require(reader.startReading(), "\(String(describing: reader.error))")
    var grays: [Int] = []
    while let sample = output.copyNextSampleBuffer() {
      grays.append(
        try #require(sample.imageBuffer).withPlane(0) { bytes, row in Int(bytes[row * 32 + 48]) })
    }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return grays
  }

  @Test(
    arguments: [[1, 2], [0x7FFF_FFFF, 0x8000_0000], [0xFFFF_FFFE, 0xFFFF_FFFF]] as [[UInt32]])
  func `layers show the track of their number, up to the highest that a file can have`(
    numbers: [UInt32]
  )
    throws
  {
    let asset = try asset(numbers)
    let wanted = numbers.map { Int64($0) }
    try #require(try asset.tracks().map(\.trackID) == wanted)
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: asset))
    #expect(composition.instructions.first?.requiredSourceTrackIDs == wanted)
    #expect(try composition.isValidAndWait(for: asset))
    let dark = try grays(asset, composition)
    #expect(dark.count == 5 && dark.allSatisfy { abs($0 - 40) < 8 })

    let only = MutableVideoCompositionLayerInstruction(assetTrack: try asset.tracks()[1])
    composition.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: TimeRange(start: .zero, duration: Writing.time(5)), layerInstructions: [only])
    ]
    composition.sourceTrackIDForFrameTiming = wanted[1]
    let bright = try grays(asset, composition)
    #expect(bright.count == 5 && bright.allSatisfy { abs($0 - 200) < 8 })

    only.trackID = wanted[1] + 1
    #expect(try !composition.isValidAndWait(for: asset))
  }

  @Test(arguments: [0, 7, 0xFFFF_FFFF] as [UInt32])
  func `a file whose tracks share one number is read, and one of them shown`(number: UInt32) throws
  {
    let asset = try asset([number, number])
    #expect(try asset.tracks().map(\.trackID) == [Int64(number), Int64(number)])
    let shown = try grays(asset, try VideoComposition(propertiesOf: asset))
    #expect(shown.count == 5 && Set(shown.map { $0 > 120 }).count == 1)
  }
}
