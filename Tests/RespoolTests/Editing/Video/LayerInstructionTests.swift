import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

@Suite struct LayerInstructionTests {
  private func time(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 10) }

  private func range(_ from: Int64, _ to: Int64) -> TimeRange {
    TimeRange(start: time(from), end: time(to))
  }

  @Test(.rule)
  func `a layer is opaque before its first opacity ramp, and keeps the end value after the last`()
    throws
  {
    let layer = MutableVideoCompositionLayerInstruction(trackID: 3)
    try layer.setOpacityRamp(fromStartOpacity: 0.25, toEndOpacity: 0.75, timeRange: range(10, 20))
    try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(30, 40))
    let opacity = layer.configuration.opacity
    #expect(opacity.value(at: time(0)) == 1)
    #expect(opacity.value(at: time(10)) == 0.25)
    #expect(opacity.value(at: time(15)) == 0.5)
    #expect(opacity.value(at: time(20)) == 0.75)
    #expect(opacity.value(at: time(29)) == 0.75)
    #expect(opacity.value(at: time(30)) == 0)
    #expect(opacity.value(at: time(99)) == 1)
    #expect(!opacity.isChanging(at: time(9)))
    #expect(opacity.isChanging(at: time(10)))
    #expect(!opacity.isChanging(at: time(20)))
  }

  @Test(.rule)
  func `a value applies from its time, and a layer is in place and uncropped before it`() throws {
    let layer = MutableVideoCompositionLayerInstruction(trackID: 3)
    try layer.setTransform(Transform(translationX: 5, y: 6), at: time(10))
    try layer.setTransform(Transform(translationX: 7, y: 8), at: time(20))
    try layer.setTransform(Transform(translationX: 9, y: 8), at: time(20))
    let transform = layer.configuration.transform
    #expect(transform.value(at: time(9)) == .identity)
    #expect(transform.value(at: time(10)).tx == 5)
    #expect(transform.value(at: time(20)).tx == 9)
    #expect(layer.configuration.crop.value(at: time(5)) == .none)
  }

  @Test func `a ramp may begin and end at a value`() throws {
    let layer = MutableVideoCompositionLayerInstruction(trackID: 1)
    try layer.setOpacity(0.5, at: time(0))
    try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(0, 10))
    try layer.setOpacity(0.25, at: time(10))
    #expect(layer.configuration.opacity.value(at: time(5)) == 0.5)
    #expect(layer.configuration.opacity.value(at: time(10)) == 0.25)
    let other = MutableVideoCompositionLayerInstruction(trackID: 1)
    try other.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(0, 10))
    try other.setOpacity(0.5, at: time(0))
    #expect(other.configuration.opacity.value(at: time(5)) == 0.5)
    #expect(other.configuration.opacity.value(at: time(0)) == 0)
  }

  @Test func `overlaps and values that are not numbers are rejected`() throws {
    let layer = MutableVideoCompositionLayerInstruction(trackID: 1)
    try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(10, 20))
    #expect(throws: MediaError.self) {
      try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(15, 25))
    }
    #expect(throws: MediaError.self) {
      try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(5, 11))
    }
    #expect(throws: MediaError.self) { try layer.setOpacity(1, at: time(15)) }
    #expect(throws: MediaError.self) { try layer.setOpacity(.nan, at: time(50)) }
    #expect(throws: MediaError.self) { try layer.setOpacity(1, at: .invalid) }
    #expect(throws: MediaError.self) { try layer.setOpacity(1, at: .positiveInfinity) }
    #expect(throws: MediaError.self) {
      try layer.setTransform(Transform(scaleX: .infinity, y: 1), at: .zero)
    }
    #expect(throws: MediaError.self) {
      try layer.setCropRectangle(Rectangle(x: 0, y: 0, width: -1, height: 1), at: .zero)
    }
    #expect(layer.configuration.opacity.value(at: time(15)) == 0.5)
  }

  @Test func `the ramp for a time is that at the time or the next one`() throws {
    let layer = MutableVideoCompositionLayerInstruction(trackID: 1)
    try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(10, 20))
    #expect(layer.getOpacityRamp(for: time(0))?.timeRange == range(10, 20))
    #expect(layer.getOpacityRamp(for: time(15))?.end == 1)
    #expect(layer.getOpacityRamp(for: time(20)) == nil)
    #expect(layer.getTransformRamp(for: time(0)) == nil)
    #expect(layer.getCropRectangleRamp(for: time(0)) == nil)
  }

  @Test(.rule) func `setting a value at a time is the same as setting a flat ramp to the next one`()
    throws
  {
    let layer = MutableVideoCompositionLayerInstruction(trackID: 1)
    try layer.setOpacity(0.5, at: time(10))
    try layer.setOpacity(0.25, at: time(20))
    try layer.setOpacityRamp(fromStartOpacity: 0.25, toEndOpacity: 1, timeRange: range(20, 30))
    try layer.setOpacity(0.75, at: time(40))
    for asked in [0, 10, 15] {
      let held = try #require(layer.getOpacityRamp(for: time(Int64(asked))))
      #expect((held.start, held.end) == (0.5, 0.5))
      #expect(held.timeRange == range(10, 20))
    }
    // A value that is set at the start of a ramp has no duration.
    #expect(layer.getOpacityRamp(for: time(20))?.timeRange == range(20, 30))
    for asked in [30, 40, 1000] {
      let last = try #require(layer.getOpacityRamp(for: time(Int64(asked))))
      #expect(last.start == 0.75 && last.end == 0.75)
      #expect(last.timeRange == TimeRange(start: time(40), duration: .positiveInfinity))
    }
    try layer.setCropRectangle(Rectangle(x: 0, y: 0, width: 8, height: 8), at: .zero)
    #expect(layer.getCropRectangleRamp(for: time(5))?.end.width == 8)
  }

  @Test func `copies are independent`() throws {
    let layer = MutableVideoCompositionLayerInstruction(trackID: 1)
    let copy = VideoCompositionLayerInstruction(layer)
    try layer.setOpacity(0, at: .zero)
    layer.trackID = 9
    #expect(copy.trackID == 1)
    #expect(copy.configuration.opacity.value(at: .zero) == 1)
  }

  @Test func `transforms compose and invert`() throws {
    let turn = Transform(rotation: .pi / 2)
    let corner = turn.apply(1, 0)
    #expect(abs(corner.x) < 1e-12 && abs(corner.y - 1) < 1e-12)
    let both = Transform(scaleX: 2, y: 3).concatenating(Transform(translationX: 5, y: 7))
    #expect(both.apply(1, 1) == (7, 10))
    let back = try #require(both.inverted)
    #expect(back.apply(7, 10) == (1, 1))
    #expect(Transform(scaleX: 0, y: 1).inverted == nil)
    let upright = Transform(
      upright: DisplayMatrix(clockwiseDegrees: 90), width: 1920, height: 1080)
    #expect(upright.apply(0, 0) == (1080, 0))
    #expect(upright.apply(1920, 1080) == (0, 1920))
  }
}
