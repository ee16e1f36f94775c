import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct ChunkAlignments {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Copies a clip of video and audio with these alignments, in track order, and returns the path.
  private func copy(
    _ container: String, isInFront: Bool, _ alignments: [Int], name: String = "aligned"
  ) throws -> String {
    let asset = AssetFixture.asset("clap-and-flash.mp4")
    let writer = try Writing.writer(scratch, "\(name).\(container)", container)
    writer.shouldOptimizeForNetworkUse = isInFront
    var samples: [(AssetWriterInput, [SampleBuffer])] = []
    for (track, alignment) in zip(try asset.tracks(), alignments) {
      let input = Writing.copyingInput(track)
      input.preferredMediaChunkAlignment = alignment
      samples.append((input, try Writing.stored(track)))
    }
    try Writing.start(writer, samples.map(\.0))
    try Writing.append(samples)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  @Test(.rule, arguments: ["mov", "mp4", "m4v"], [true, false])
  func `chunks begin at multiples of the preferred alignment`(
    container: String, isInFront: Bool
  ) throws {
    let plain = try copy(container, isInFront: isInFront, [0, 0], name: "plain")
    let hashes = try Writing.frameHashes(plain)
    #expect(hashes.count > 100)
    for alignments in [[4096, 512], [1000, 48], [1 << 16, 1]] {
      let path = try copy(container, isInFront: isInFront, alignments)
      let boxes = try Writing.boxes(path)
      let moov = try #require(boxes.firstIndex(of: "moov"))
      #expect((moov < (try #require(boxes.firstIndex(of: "mdat")))) == isInFront)
      for (chunks, alignment) in zip(try Writing.chunkOffsets(path), alignments) {
        #expect(chunks.count > 2 && chunks.allSatisfy { $0 % alignment == 0 })
      }
      _ = try Writing.probe(path, ["-show_packets"])
      #expect(try Writing.frameHashes(path) == hashes)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(.rule) func `chunks are not padded for an alignment of 1`() throws {
    let files = try [[0, 0], [1, 1]].enumerated().map { number, alignments in
      try Data(
        contentsOf: URL(
          filePath: try copy("mov", isInFront: true, alignments, name: "tight\(number)")))
    }
    #expect(files[0] == files[1])
  }

  @Test(.rule("A chunk alignment is not negative"))
  func `impossible alignments are rejected`() throws {
    let input = Writing.linearInput()
    input.preferredMediaChunkAlignment = 512
    input.preferredMediaChunkAlignment = -1
    input.preferredMediaChunkAlignment = (16 << 20) + 1
    #expect(input.preferredMediaChunkAlignment == 512)

    let other = Writing.linearInput()
    (input.preferredMediaChunkAlignment, other.preferredMediaChunkAlignment) = (65536, 65535)
    let writer = try Writing.writer(scratch, "odd.mov", "mov")
    try Writing.start(writer, [input, other])
    other.preferredMediaChunkAlignment = 1
    #expect(other.preferredMediaChunkAlignment == 65535)
    for input in [input, other] { input.append(try Writing.tone(0)) }
    writer.finishWritingAndWait()
    #expect(writer.error?.code == .invalidArgument)
    #expect(writer.error?.message.contains("common multiple") == true)
  }
}
