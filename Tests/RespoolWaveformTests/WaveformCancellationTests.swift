import RespoolMedia
import TestFixtures
import Testing

@testable import Respool
@testable import RespoolWaveform

/// Cancellation of waveform reading.
@Suite struct WaveformCancellationTests {
  private let reader = WaveformReader(
    asset: Asset(path: Pipeline.clip("speech.wav"), registry: Pipeline.registry))

  @Test func `a read that is canceled before its start throws`() throws {
    let cancellation = ReadCancellation()
    #expect(!cancellation.isCancelled)
    cancellation.cancel()
    #expect(cancellation.isCancelled)
    #expect { try reader.read(cancelledBy: cancellation) } throws: {
      ($0 as? MediaError)?.code == .cancelled
    }
  }

  @Test func `a cancellation ends a running read`() throws {
    let cancellation = ReadCancellation()
    let source = try FileSource(path: Pipeline.clip("speech.wav"))
    let isReached = try cancellation.covering(source) { () throws(MediaError) in
      cancellation.cancel()
      return source.isCancelled
    }
    #expect(isReached)
  }

  @Test func `an unused cancellation changes nothing`() throws {
    let cancellation = ReadCancellation()
    let waveform = try reader.read(cancelledBy: cancellation)
    #expect(waveform == (try reader.read()))
    cancellation.cancel()
  }

  @Test func `a canceled task ends its read`() async throws {
    let reader = reader
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.waveform()
    }
    await #expect { try await task.value } throws: { ($0 as? MediaError)?.code == .cancelled }
    let whole = try await reader.waveform()
    #expect(whole.sampleCount > 0)
  }
}
