import RespoolMedia
import ReadingFixtures
import Synchronization
import TestFixtures
import Testing

@testable import Respool

@Suite struct CustomCompositorTests {
  /// A compositor that fills its frame with the mean of the sources' first pixels, on its own thread.
  private final class Mean: VideoCompositing, DefaultInitializable {
    let contexts = Mutex(0)
    var requiredPixelFormatsForRenderContext: [PixelFormat] { [.gray] }
    var sourcePixelFormats: [PixelFormat] { [.gray] }

    func renderContextChanged(_ newRenderContext: VideoCompositionRenderContext) {
      contexts.withLock { $0 += 1 }
    }

    func startRequest(_ request: AsynchronousVideoCompositionRequest) {
      do {
        _ = try PlainThread(name: "mean") {
          var sum = 0
          for id in request.sourceTrackIDs {
            guard let frame = request.sourceFrame(byTrackID: id), frame.pixelFormat == .gray else {
              return
            }
            sum += Int(frame.frame.planes[0].base.load(as: UInt8.self))
          }
          guard let picture = request.renderContext.newPixelBuffer() else { return }
          let mean = UInt8(sum / max(request.sourceTrackIDs.count, 1))
          try? picture.withPlane(0) { memory, _ in
            _ = memory.initializeMemory(as: UInt8.self, repeating: mean)
          }
          request.finish(withComposedVideoFrame: picture)
          // Only the first call that finishes a request counts.
          request.finishCancelledRequest()
        }
      } catch { request.finish(with: error) }
    }
  }

  /// A compositor that answers, keeps or ignores each request according to `behaviour`.
  private final class Odd: VideoCompositing {
    enum Behaviour { case forgets, fails, cancels, waits }
    let behaviour: Behaviour
    let kept = Mutex<[AsynchronousVideoCompositionRequest]>([])
    init(_ behaviour: Behaviour) { self.behaviour = behaviour }

    func startRequest(_ request: AsynchronousVideoCompositionRequest) {
      switch behaviour {
      case .forgets: break
      case .fails: request.finish(with: MediaError(.unsupported, "no such picture"))
      case .cancels: request.finishCancelledRequest()
      case .waits: kept.withLock { $0.append(request) }
      }
    }

    func cancelAllPendingVideoCompositionRequests() {
      for request in kept.withLock({ $0 }) { request.finishCancelledRequest() }
    }
  }

  /// An instruction that only names its tracks.
  private final class Plain: VideoCompositionInstructionProtocol {
    let timeRange = VideoFixture.second
    let enablePostProcessing = false
    let containsTweening = true
    let requiredSourceTrackIDs: [Int64]?
    let passthroughTrackID: Int64
    init(_ tracks: [Int64]?, passthrough: Int64 = 0) {
      requiredSourceTrackIDs = tracks
      passthroughTrackID = passthrough
    }
  }

  private func frames() throws -> [Int64: PixelBuffer] {
    [
      1: try VideoFixture.flat(.yuv420p, 16, 16, [16, 128, 128]),
      2: try VideoFixture.flat(.yuv420p, 16, 16, [235, 128, 128]),
      3: try VideoFixture.flat(.yuv420p, 8, 8, [100, 128, 128]),
    ]
  }

  private func composition(_ instruction: any VideoCompositionInstructionProtocol)
    -> MutableVideoComposition
  {
    let composition = VideoFixture.composition(16, 16, [])
    composition.instructions = [instruction]
    return composition
  }

  @Test func `a compositor class is created and called on any thread`() throws {
    let composition = composition(Plain([1, 2]))
    composition.customVideoCompositorClass = Mean.self
    let renderer = try VideoFixture.renderer(composition, frames())
    for step in 0..<3 {
      let time = MediaTime(value: Int64(step), timescale: 25)
      #expect(renderer.requiredTrackIDs(at: time) == [1, 2])
      let result = try #require(try renderer.render(at: time, frames: frames()))
      // The sources were converted to gray for the compositor, and its gray frame to YUV again.
      #expect(result.pixelFormat == .yuv420p)
      let luma = try VideoFixture.plane(result, 0).samples
      #expect(luma.allSatisfy { abs($0 - 126) <= 2 })
      #expect(try VideoFixture.plane(result, 1).samples.allSatisfy { $0 == 128 })
    }
  }

  @Test func `a class without an initializer needs a factory closure`() throws {
    let composition = composition(Plain(nil))
    composition.customVideoCompositorClass = Odd.self
    #expect(throws: MediaError.self) { try VideoFixture.renderer(composition, [:]) }
    composition.customVideoCompositor = { Odd(.cancels) }
    let renderer = try VideoFixture.renderer(composition, frames())
    #expect(try renderer.render(at: .zero, frames: frames()) == nil)
    #expect(renderer.requiredTrackIDs(at: .zero) == [1, 2, 3])
  }

  @Test(.rule, arguments: [false, true])
  func `a compositor without support for HDR gets frames with the transfer function of BT 709`(
    takesHDR: Bool
  ) throws {
    /// A compositor that records the colors of its source frames.
    final class Looking: VideoCompositing {
      let supportsHDRSourceFrames: Bool
      init(_ takesHDR: Bool) { supportsHDRSourceFrames = takesHDR }
      let colors = Mutex<[ColorDescription]>([])
      let edges = Mutex<EdgeWidths?>(nil)
      func startRequest(_ request: AsynchronousVideoCompositionRequest) {
        let frame = request.sourceFrame(byTrackID: 1)
        colors.withLock { $0 += frame.map { [$0.frame.color] } ?? [] }
        edges.withLock { $0 = request.renderContext.edgeWidths }
        request.finishCancelledRequest()
      }
    }
    let looking = Looking(takesHDR)
    let composition = composition(Plain([1]))
    composition.customVideoCompositor = { looking }
    let wide = ColorDescription(primaries: 9, transfer: 16, matrix: 9)
    let frames: [Int64: PixelBuffer] = [
      1: try VideoFixture.flat(.yuv420p10le, 16, 16, [64, 512, 512], color: wide)
    ]
    let renderer = try VideoFixture.renderer(composition, frames)
    #expect(try renderer.render(at: .zero, frames: frames) == nil)
    let color = try #require(looking.colors.withLock { $0 }.first)
    #expect((color.primaries, color.transfer, color.matrix) == (takesHDR ? (9, 16, 9) : (1, 1, 1)))
    // The composed frame has the transfer function of the source frame that the compositor received.
    let target = try CompositionTarget(
      composition, sources: [VideoFixture.source(1, try #require(frames[1]))], compositor: looking,
      pixelFormat: nil)
    #expect(target.tag.transfer == color.transfer && target.pixelFormat == .yuv420p10le)
    #expect(looking.edges.withLock { $0 } == EdgeWidths(left: 0, top: 0, right: 0, bottom: 0))
  }

  @Test func `failures end the rendering`() throws {
    let composition = composition(Plain(nil))
    composition.customVideoCompositor = { Odd(.fails) }
    let frames = try frames()
    #expect(throws: MediaError(.unsupported, "no such picture")) {
      try VideoFixture.renderer(composition, frames).render(at: .zero, frames: frames)
    }
    composition.customVideoCompositor = { Odd(.forgets) }
    let error = #expect(throws: MediaError.self) {
      try VideoFixture.renderer(composition, frames).render(at: .zero, frames: frames)
    }
    #expect(error?.message.contains("without finishing") == true)
  }

  @Test func `canceling ends a wait`() throws {
    let composition = composition(Plain(nil))
    let odd = Odd(.waits)
    composition.customVideoCompositor = { odd }
    let frames = try frames()
    let renderer = try VideoFixture.renderer(composition, frames)
    let canceller = try PlainThread(name: "cancel") {
      while odd.kept.withLock({ $0.isEmpty }) {}
      renderer.cancel()
    }
    #expect(try renderer.render(at: .zero, frames: frames) == nil)
    canceller.join()
    #expect(throws: MediaError.self) { try renderer.render(at: .zero, frames: frames) }
  }

  @Test(.rule) func `a track that passes through is shown without a compositor`() throws {
    let composition = composition(Plain(nil, passthrough: 2))
    composition.customVideoCompositor = { Odd(.fails) }
    let frames = try frames()
    let renderer = try VideoFixture.renderer(composition, frames)
    #expect(renderer.requiredTrackIDs(at: .zero) == [2])
    #expect(try renderer.render(at: .zero, frames: frames) === frames[2])
    // A smaller frame is scaled to the render size.
    let small = self.composition(Plain(nil, passthrough: 3))
    let result = try VideoFixture.render(small, frames)
    #expect((result.width, result.height) == (16, 16))
    #expect(try VideoFixture.plane(result, 0).samples.allSatisfy { $0 == 100 })
  }

  @Test func `the built-in compositor requires its own instructions`() throws {
    let composition = composition(Plain(nil))
    let frames = try frames()
    #expect(throws: MediaError.self) {
      try VideoFixture.renderer(composition, frames).render(at: .zero, frames: frames)
    }
  }

  @Test func `a custom compositor may wrap the built-in one`() throws {
    let composition = VideoFixture.composition(16, 16, [VideoFixture.layer(2)])
    composition.customVideoCompositorClass = Compositor.self
    let frames = try frames()
    #expect(try VideoFixture.render(composition, frames) === frames[2])
  }
}
