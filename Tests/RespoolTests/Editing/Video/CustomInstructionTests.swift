// Imported without `@testable`, as in a client's code.
import Respool
import RespoolMedia
import Synchronization
import Testing

/// A client's own instructions, which are subclasses of the library's.
@Suite struct CustomInstructionTests {
  /// An instruction with layers and a caption that the compositor is to draw on them.
  private final class Captioned: MutableVideoCompositionInstruction, @unchecked Sendable {
    var caption = ""
  }

  private final class Reader: VideoCompositing {
    let captions = Mutex<[String]>([])

    func startRequest(_ request: AsynchronousVideoCompositionRequest) {
      let instruction = request.videoCompositionInstruction as? Captioned
      captions.withLock { $0.append(instruction?.caption ?? "none") }
      if let frame = request.sourceTrackIDs.first.flatMap(request.sourceFrame) {
        request.finish(withComposedVideoFrame: frame)
      } else {
        request.finishCancelledRequest()
      }
    }
  }

  @Test func `a subclass reaches the compositor with all its properties`() throws {
    let reader = Reader()
    let layers = [MutableVideoCompositionLayerInstruction(trackID: 1)]
    let instruction = Captioned(timeRange: VideoFixture.second, layerInstructions: layers)
    instruction.caption = "At sea"
    let composition = VideoFixture.composition(16, 16, [])
    composition.instructions = [instruction]
    composition.customVideoCompositor = { reader }
    let frames: [Int64: PixelBuffer] = [1: try VideoFixture.flat(.yuv420p, 16, 16, [16, 128, 128])]
    let renderer = try VideoFixture.renderer(VideoComposition(composition), frames)
    #expect(try renderer.render(at: .zero, frames: frames) != nil)
    #expect(reader.captions.withLock { $0 } == ["At sea"])
    #expect(renderer.requiredTrackIDs(at: .zero) == [1])
  }
}
