import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Compositions made from values instead of mutable classes.
@Suite struct VideoConfigurations {
  @Test func `a composition made from values shows the same as a changed one`() throws {
    var layer = VideoCompositionLayerInstruction.Configuration(trackID: 1)
    let range = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    try layer.addOpacityRamp(LayerRamp(from: 1, to: 0, timeRange: range))
    try layer.setTransform(Transform(translationX: 4, y: 2), at: .zero)
    let half = MediaTime(value: 1, timescale: 2)
    let later = TimeRange(start: half, duration: range.duration)
    #expect(throws: MediaError.self) {
      try layer.addOpacityRamp(LayerRamp(from: 1, to: 0, timeRange: later))
    }
    var instruction = VideoCompositionInstruction.Configuration()
    instruction.timeRange = range
    instruction.backgroundColor = .white
    instruction.layerInstructions = [VideoCompositionLayerInstruction(configuration: layer)]
    var configuration = VideoComposition.Configuration()
    configuration.renderSize = VideoDimensions(width: 32, height: 16)
    configuration.frameDuration = MediaTime(value: 1, timescale: 25)
    configuration.instructions = [VideoCompositionInstruction(configuration: instruction)]
    let composition = VideoComposition(configuration: configuration)

    let changed = MutableVideoCompositionLayerInstruction(trackID: 1)
    try changed.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: range)
    try changed.setTransform(Transform(translationX: 4, y: 2), at: .zero)
    #expect(changed.configuration == layer)
    #expect(composition.renderSize == VideoDimensions(width: 32, height: 16))
    #expect(composition.instructions.first?.requiredSourceTrackIDs == [1])
    #expect(composition.instructions.first?.containsTweening == true)
    let picture = try VideoFixture.picture(.yuv420p, 32, 16) { plane, x, y in
      plane == 0 ? 40 + 4 * x + y : 128
    }
    let made = try VideoFixture.render(composition, [1: picture])
    let wanted = MutableVideoComposition(composition)
    let other = MutableVideoCompositionInstruction(
      timeRange: range, layerInstructions: [changed])
    other.backgroundColor = .white
    wanted.instructions = [other]
    let same = try VideoFixture.render(wanted, [1: picture])
    for plane in 0..<3 {
      #expect(try VideoFixture.plane(made, plane) == VideoFixture.plane(same, plane))
    }
  }

  @Test func `a configuration for an asset has the prototype's background`() async throws {
    let asset = Asset(path: Pipeline.clip("portrait.mov"), registry: Pipeline.registry)
    var prototype = VideoCompositionInstruction.Configuration()
    prototype.backgroundColor = .white
    let made = try await VideoComposition.Configuration(
      for: asset, prototypeInstruction: VideoCompositionInstruction(configuration: prototype))
    let plain = try VideoComposition(propertiesOf: asset)
    #expect(made.renderSize == plain.renderSize)
    #expect(made.frameDuration == plain.frameDuration)
    #expect(made.instructions.map(\.timeRange) == plain.instructions.map(\.timeRange))
    let instructions = made.instructions.compactMap { $0 as? VideoCompositionInstruction }
    #expect(!instructions.isEmpty)
    #expect(instructions.allSatisfy { $0.backgroundColor == .white })
    await #expect(throws: MediaError.self) {
      try await VideoComposition.Configuration(
        for: Asset(path: "/nowhere.mp4", registry: Pipeline.registry))
    }
  }
}
