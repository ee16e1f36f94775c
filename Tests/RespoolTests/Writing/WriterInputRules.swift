import Dispatch
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Documented rules for writer inputs and adaptors, one test for each.
@Suite struct WriterInputRules {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a started writer of a WAV file, with the session started at zero, and its input.
  private func sound() throws -> (AssetWriter, AssetWriterInput) {
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    return (writer, input)
  }

  @Test(.rule) func `an input is ready only within the session`() throws {
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    let input = Writing.linearInput()
    #expect(!input.isReadyForMoreMediaData)
    try writer.add(input)
    #expect(!input.isReadyForMoreMediaData)
    try #require(writer.startWriting())
    #expect(!input.isReadyForMoreMediaData)
    writer.startSession(atSourceTime: .zero)
    #expect(input.isReadyForMoreMediaData)
    writer.cancelWriting()
    #expect(!input.isReadyForMoreMediaData)
  }

  @Test(
    .rule("Samples of an input come in the order of their times"),
    arguments: [(MediaType.video, 10, 5), (.video, 7, 7), (.audio, 3, 1)])
  func `samples that go back in time fail the writer`(type: MediaType, first: Int, next: Int) throws
  {
    let writer = try Writing.writer(scratch, "back.mov", "mov")
    let isVideo = type == .video
    let input = isVideo ? Writing.videoInput() : Writing.audioInput()
    try Writing.start(writer, [input])
    func sample(_ number: Int) throws -> SampleBuffer {
      isVideo ? try Writing.picture(number) : try Writing.tone(number * 1920)
    }
    #expect(input.append(try sample(first)))
    #expect(!input.append(try sample(next)))
    #expect(writer.status == .failed)
    #expect(writer.error?.message.contains("times of an input must increase") == true)
  }

  @Test func `stored frames that go back in decode time fail the writer`() throws {
    let packets = try Pipeline.samples(Pipeline.clip("pattern-h264.mp4"), .video, nil)
    let writer = try Writing.writer(scratch, "decoded.mp4")
    let input = AssetWriterInput(
      mediaType: .video, settings: nil, sourceFormatHint: packets[0].formatDescription)
    try Writing.start(writer, [input])
    for number in [0, 1, 5] { try #require(input.append(packets[number])) }
    #expect(!input.append(packets[2]))
    #expect(writer.error?.message.contains("times of an input must increase") == true)
  }

  /// Documented in the header of AVAssetWriterInput, at `appendSampleBuffer:`.
  @Test(.rule, arguments: [([0, 1, 2], 3), ([0, 1, 5], 9), ([0, 4, 5], 6)], ["mp4", "mkv"])
  func `a last frame without a duration lasts as long as the one before it`(
    times: ([Int], end: Int), container: String
  ) throws {
    let writer = try Writing.writer(scratch, "last.\(container)", container)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let adaptor = AssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    for time in times.0 {
      let picture = try #require(try Writing.picture(time).imageBuffer)
      try #require(adaptor.append(picture, withPresentationTime: Writing.time(time)))
    }
    writer.finishWritingAndWait()
    let shown = try Pipeline.pictures(writer.path)
    #expect(shown.count == times.0.count)
    let last = try #require(shown.last)
    let end = (last.presentationTimeStamp + last.duration).seconds
    #expect(abs(end - Double(times.end) / 25) < 0.002)
  }

  @Test func `an input belongs to one writer, even after that is released`() throws {
    let input = Writing.videoInput()
    func write() throws { try Writing.start(Writing.writer(scratch, "gone.mp4"), [input]) }
    try write()
    #expect(input.writer == nil)
    #expect(try !Writing.writer(scratch, "next.mp4").canAdd(input))
  }

  @Test(.rule) func `an input without a writer accepts nothing`() throws {
    let (input, tone) = (Writing.linearInput(), try Writing.tone(0))
    #expect(!input.append(tone))
    input.markAsFinished()
  }

  @Test(.rule) func `marking as finished twice is marking once`() throws {
    let (writer, input) = try sound()
    try #require(input.append(Writing.tone(0)))
    input.markAsFinished()
    input.markAsFinished()
    #expect(!input.isReadyForMoreMediaData)
    #expect(!input.append(try Writing.tone(1920)))
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
  }

  @Test(.rule) func `pass-through requires a format hint that the container supports`() throws {
    let writer = try Writing.writer(scratch)
    #expect(!writer.canAdd(AssetWriterInput(mediaType: .video, settings: nil)))
    let hint = FormatDescription(videoCodec: "vp6", width: 16, height: 16)
    #expect(
      !writer.canAdd(
        AssetWriterInput(mediaType: .video, settings: nil, sourceFormatHint: hint)))
  }

  @Test(.rule) func `pass-through into QuickTime requires no format hint`() throws {
    let clip = Pipeline.clip("clap-and-flash.mp4")
    let writer = try Writing.writer(scratch, "copy.mov", "mov")
    let inputs = [MediaType.video, .audio].map { AssetWriterInput(mediaType: $0, settings: nil) }
    try Writing.start(writer, inputs)
    for input in inputs {
      for sample in try Pipeline.samples(clip, input.mediaType, nil) {
        try #require(input.append(sample))
      }
      input.markAsFinished()
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    for type in [MediaType.video, .audio] {
      #expect(
        try Pipeline.samples(writer.path, type, nil).map(\.totalSampleSize)
          == Pipeline.samples(clip, type, nil).map(\.totalSampleSize))
    }

    let other = try Writing.writer(scratch, "opus.mov", "mov")
    let sound = AssetWriterInput(mediaType: .audio, settings: nil)
    try Writing.start(other, [sound])
    let opus = try #require(
      try Pipeline.samples(Pipeline.clip("speech-opus.opus"), .audio, nil).first)
    #expect(!sound.append(opus))
    #expect(other.status == .failed && other.error?.code == .unsupported)
  }

  @Test(.rule) func `media and settings that the file type does not support cannot be added`()
    throws
  {
    let sound = try Writing.writer(scratch, "rule.wav", "wav")
    let movie = try Writing.writer(scratch, "rule.webm", "webm")
    let opus = AssetWriterInput(
      mediaType: .audio,
      settings: .audio(codec: "opus", sampleRate: 48000, channelLayout: .stereo))
    let confused = AssetWriterInput(mediaType: .video, settings: opus.settings)
    for (writer, taken, refused) in [
      (sound, Writing.linearInput(), [Writing.videoInput(), opus]),
      (movie, opus, [Writing.videoInput(), Writing.audioInput(), Writing.linearInput(), confused]),
    ] {
      for input in refused {
        #expect(!writer.canAdd(input), "\(writer.container): \(String(describing: input.settings))")
        #expect(throws: MediaError.self) { try writer.add(input) }
      }
      #expect(writer.inputs.isEmpty && writer.status == .unknown)
      try #require(writer.canAdd(taken))
      try writer.add(taken)
    }
  }

  @Test func `an input that cannot be added has a reason`() throws {
    let writer = try Writing.writer(scratch, "why.mp4")
    func reason(_ input: AssetWriterInput) -> String {
      do throws(MediaError) { try writer.add(input) } catch { return error.message }
      return ""
    }
    func video(_ codec: String, _ width: Int = 64) -> AssetWriterInput {
      AssetWriterInput(
        mediaType: .video, settings: .video(codec: codec, width: width, height: 48))
    }
    #expect(reason(video("nope")).hasSuffix("mp4 does not carry nope"))
    #expect(reason(video("mpeg4")).hasSuffix("no plugin encodes mpeg4"))
    #expect(reason(video("h264", -3)).hasSuffix("aspect ratio or scaling mode"))
    #expect(
      reason(AssetWriterInput(mediaType: .video, settings: nil)).hasSuffix("needs a format hint"))
    let input = Writing.videoInput()
    #expect(reason(input) == "")
    #expect(reason(input).hasSuffix("to a writer"))
  }

  @Test(.rule) func `a media time scale is not for audio`() throws {
    let (video, audio) = (Writing.videoInput(), Writing.audioInput())
    (video.mediaTimeScale, audio.mediaTimeScale) = (600, 600)
    #expect((video.mediaTimeScale, audio.mediaTimeScale) == (600, 0))
  }

  @Test(.rule) func `media data is requested once for an input`() throws {
    let (writer, input) = try sound()
    let queue = DispatchQueue(label: "rule")
    input.requestMediaDataWhenReady(on: queue) {}
    input.requestMediaDataWhenReady(on: queue) {}
    #expect(writer.status == .failed)
  }

  @Test(.rule) func `passes are responded to once for an input`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try writer.add(input)
    let queue = DispatchQueue(label: "rule")
    input.respondToEachPassDescription(on: queue) {}
    input.respondToEachPassDescription(on: queue) {}
    #expect(writer.error?.code == .invalidArgument)
  }

  @Test(.rule) func `the block runs on its queue until the input is finished`() throws {
    let (writer, input) = try sound()
    let queue = DispatchQueue(label: "rule")
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 7)
    let (counter, done) = (Counter(), DispatchSemaphore(value: 0))
    input.requestMediaDataWhenReady(on: queue) {
      #expect(DispatchQueue.getSpecific(key: key) == 7)
      let number = counter.next()
      if number == 3 {
        input.markAsFinished()
        done.signal()
      } else if let tone = try? Writing.tone(number * 1920) {
        input.append(tone)
      }
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    queue.sync {}
    #expect(counter.count == 4)
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
  }

  @Test(.rule) func `an encoder with one pass announces no second`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    input.performsMultiPassEncodingIfSupported = true
    try Writing.start(writer, [input])
    #expect(input.currentPassDescription != nil && !input.canPerformMultiplePasses)
    try #require(input.append(Writing.picture(0)))
    input.markCurrentPassAsFinished()
    #expect(input.currentPassDescription == nil)
    input.markAsFinished()
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
  }

  @Test(.rule) func `the default input of a group is enabled and the others are not`() throws {
    let writer = try Writing.writer(scratch)
    let inputs = [Writing.audioInput(), Writing.audioInput()]
    for input in inputs { try writer.add(input) }
    let stranger = Writing.audioInput()
    let group = AssetWriterInputGroup(inputs: inputs, defaultInput: inputs[1])
    #expect(AssetWriterInputGroup(inputs: inputs, defaultInput: stranger).defaultInput == nil)
    try writer.add(group)
    #expect(inputs.map(\.marksOutputTrackAsEnabled) == [false, true])
    #expect(writer.inputGroups.count == 1)
    #expect(throws: MediaError.self) { try writer.add(group) }
  }

  @Test(.rule) func `an adaptor with attributes has a pool while its writer writes`()
    throws
  {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    let adaptor = AssetWriterInputPixelBufferAdaptor(
      assetWriterInput: input,
      sourcePixelBufferAttributes: .init(pixelFormat: .gray, width: 96, height: 64))
    #expect(adaptor.pixelBufferPool == nil)
    try Writing.start(writer, [input])
    #expect(adaptor.pixelBufferPool != nil)
    #expect(AssetWriterInputPixelBufferAdaptor(assetWriterInput: input).pixelBufferPool == nil)
  }
}
