import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Sample buffers without a sample.
@Suite struct Markers {
  let scratch: Scratch
  private let format = FormatDescription(subtitles: "subrip")

  init() throws { scratch = try Scratch() }

  private func marker(_ timings: [SampleTiming] = [], bytes: Int = 0, sizes: [Int] = []) throws
    -> SampleBuffer
  {
    try SampleBuffer(
      dataBuffer: MediaBuffer(zeros: bytes), formatDescription: format, numSamples: 0,
      sampleTimings: timings, sampleSizes: sizes)
  }

  @Test func `a marker has a time and attachments and no sample`() throws {
    let time = Writing.time(5)
    let marker = try marker([SampleTiming(duration: .zero, presentationTimeStamp: time)])
    #expect(marker.isValid && marker.numSamples == 0 && marker.totalSampleSize == 0)
    #expect(marker.presentationTimeStamp == time)
    #expect(marker.dataBuffer?.count == 0 && marker.imageBuffer == nil)
    #expect(marker.sampleTimings.isEmpty && marker.sampleAttachments.isEmpty)
    #expect(marker.singleSampleBuffers().isEmpty && marker.sampleTiming(at: 0) == nil)
    marker.attachments.custom = ["why": "the camera was turned"]
    let copy = try #require(marker.copy())
    #expect(copy.numSamples == 0 && copy.attachments.custom == marker.attachments.custom)
    let moved = try #require(
      marker.withTiming(SampleTiming(presentationTimeStamp: Writing.time(9))))
    #expect(moved.numSamples == 0 && moved.presentationTimeStamp == Writing.time(9))
  }

  @Test func `a marker requires no time and has no bytes`() throws {
    #expect(!(try marker().presentationTimeStamp.isValid))
    #expect(throws: MediaError.self) { try marker(bytes: 3) }
    #expect(throws: MediaError.self) { try marker(sizes: [1]) }
    let timing = SampleTiming(presentationTimeStamp: .zero)
    #expect(throws: MediaError.self) { try marker([timing, timing]) }
  }

  @Test func `a writer accepts a marker and writes nothing`() throws {
    let writer = try Writing.writer(scratch, "marked.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    #expect(input.append(try Writing.tone(0)))
    #expect(input.append(try marker()))
    #expect(input.append(try marker([SampleTiming(presentationTimeStamp: Writing.time(1))])))
    #expect(input.append(try Writing.tone(1920)))
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    #expect(try Pipeline.sound(writer.path).count == 3840)
  }

  /// The time scale of a zero presentation time does not determine the scale of the duration.
  @Test func `samples from zero keep their durations`() throws {
    let picture = try #require(PixelBuffer(width: 16, height: 16, pixelFormat: .gray))
    let first = SampleBuffer(picture, at: .zero, duration: MediaTime(value: 1, timescale: 24))
    guard case .frame(let frame) = first.content else { return }
    #expect(MediaTime(frame.duration, first.timeBase) == MediaTime(value: 1, timescale: 24))
    let lines = try SampleBuffer(
      dataBuffer: MediaBuffer("abc".utf8),
      formatDescription: FormatDescription(videoCodec: "h264", width: 16, height: 16),
      numSamples: 3,
      sampleTimings: [
        SampleTiming(
          duration: MediaTime(value: 1001, timescale: 30000), presentationTimeStamp: .zero)
      ], sampleSizes: [1])
    #expect(
      lines.singleSampleBuffers().map { MediaTime($0.packet?.pts, $0.timeBase) }
        == [0, 1001, 2002].map { MediaTime(value: $0, timescale: 30000) })
  }
}
