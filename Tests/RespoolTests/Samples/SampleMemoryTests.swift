import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Data of samples, which must not contain other bytes of their memory.
@Suite struct SampleMemory {
  /// Returns a frame of `used` audio samples in a buffer for `count`, as a plugin may return it.
  ///
  /// All bytes of the buffer are 0xA5.
  private func spare(_ used: Int, of count: Int) throws -> Frame {
    var frame = try #require(
      Frame(sampleFormat: .s16, channelLayout: .stereo, sampleRate: 48000, sampleCount: count))
    frame.buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
    frame.sampleCount = used
    return frame
  }

  @Test(
    arguments: [
      "speech-opus.opus", "speech-flac.flac", "speech-mp3.mp3", "speech.wav", "tones-5.1.wav",
      "clap-and-flash.mp4",
    ], [nil, SampleFormat.s16, .flt])
  func `the data of decoded audio is as long as its samples`(clip: String, format: SampleFormat?)
    throws
  {
    for sample in try Pipeline.samples(
      Pipeline.clip(clip), .audio, .audio(sampleFormat: format, sampleRate: nil))
    {
      guard case .frame(let frame) = sample.content, let data = sample.dataBuffer else { continue }
      let width = frame.sampleFormat.bytesPerSample * frame.channelLayout.channelCount
      #expect(data.count == sample.numSamples * width)
      #expect(data.count == sample.totalSampleSize)
    }
  }

  @Test func `data of a larger block ends with its last sample`() throws {
    let frame = try spare(100, of: 1000)
    let sample = SampleBuffer(
      .frame(frame),
      format: FormatDescription(
        TrackDescription(kind: .audio, codec: "pcm", timeBase: Rational(1, 48000))),
      timeBase: Rational(1, 48000))
    #expect(sample.dataBuffer?.count == 400)
    // If audio samples are dropped from the front, the data begins with the first remaining one.
    let cut = try #require(frame.droppingSamples(front: 30, back: 20, timeBase: Rational(1, 48000)))
    cut.planes[0].base.storeBytes(of: 0x5A, as: UInt8.self)
    let rest = SampleBuffer(
      .frame(cut), format: sample.formatDescription, timeBase: Rational(1, 48000))
    let data = try #require(rest.dataBuffer)
    #expect(data.count == 200 && data.bytes.first == 0x5A)
    // A buffer without spare room is used unchanged.
    let whole = try spare(1000, of: 1000)
    let all = SampleBuffer(
      .frame(whole), format: sample.formatDescription, timeBase: Rational(1, 48000))
    #expect(all.dataBuffer?.count == 4000)
  }

  @Test(arguments: [PixelFormat.yuv420p, .rgb24, .gray, .yuv420p10le])
  func `a new pixel buffer is zero, between its rows, too`(format: PixelFormat) throws {
    let size = (width: 37, height: 11)
    let pool = try PixelBufferPool(
      attributes: PixelBufferAttributes(
        pixelFormat: format, width: size.width, height: size.height),
      minimumBufferCount: 1)
    let own = PixelBuffer(width: size.width, height: size.height, pixelFormat: format)
    let frame = FramePool().video(pixelFormat: format, width: size.width, height: size.height)
    let pictures = [
      own, try pool.makePixelBuffer(), try pool.makePixelBuffer(),
      frame.flatMap { PixelBuffer($0) },
    ]
    for picture in pictures.compactMap(\.self) {
      for plane in 0..<picture.planeCount {
        try picture.withPlane(plane) { bytes, _ in #expect(bytes.allSatisfy { $0 == 0 }) }
      }
    }
    #expect(pictures.allSatisfy { $0 != nil })
  }

  @Test(arguments: [PixelFormat.yuv420p, .rgb24, .yuv420p10le])
  func `between the rows of a frame there are zeros`(format: PixelFormat) throws {
    let frame = try FrameFixture.counting(format, 37, 11)
    let layout = try #require(format.layout)
    for plane in 0..<layout.planeCount {
      let used = layout.rowBytes(ofPlane: plane, for: 37)
      for row in 0..<layout.height(ofPlane: plane, for: 11) {
        let line = UnsafeRawBufferPointer(
          start: frame.planes[plane].base + row * frame.planes[plane].stride,
          count: frame.planes[plane].stride)
        #expect(line[used...].allSatisfy { $0 == 0 })
      }
    }
  }
}
