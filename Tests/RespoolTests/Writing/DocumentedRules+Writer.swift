import Dispatch
import Foundation
import RespoolMedia
import Testing

@testable import Respool

/// What is documented of writers, their inputs and adaptors: one row to a rule.
@Suite struct DocumentedWriterRules {
  struct Rule: Sendable, CustomTestStringConvertible {
    let sentence: String
    let check: @Sendable (Scratch) throws -> Void
    var testDescription: String { sentence }

    init(_ sentence: String, _ check: @escaping @Sendable (Scratch) throws -> Void) {
      (self.sentence, self.check) = (sentence, check)
    }
  }

  /// A started writer of a WAV file, its session at zero, and its input.
  private static func sound(_ scratch: Scratch) throws -> (AssetWriter, AssetWriterInput) {
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    return (writer, input)
  }

  static let ofWriters: [Rule] = [
    Rule("A writer writes one file, once") { scratch in
      let (writer, input) = try sound(scratch)
      try #require(input.append(Writing.tone(0)))
      writer.finishWriting()
      #expect(!writer.startWriting())
      #expect(!input.append(try Writing.tone(1920)))
      #expect(writer.status == .completed)
    },
    Rule("Writing fails where the file exists") { scratch in
      try Data().write(to: URL(filePath: scratch.path("rule.wav")))
      let writer = try Writing.writer(scratch, "rule.wav", "wav")
      try writer.add(Writing.linearInput())
      #expect(!writer.startWriting())
      #expect(writer.status == .failed && writer.error != nil)
      #expect(scratch.names == ["rule.wav"])
    },
    Rule("The status goes from unknown to writing to completed") { scratch in
      let writer = try Writing.writer(scratch, "rule.wav", "wav")
      let input = Writing.linearInput()
      #expect(writer.status == .unknown)
      try Writing.start(writer, [input])
      #expect(writer.status == .writing)
      try #require(input.append(Writing.tone(0)))
      writer.finishWriting()
      #expect(writer.status == .completed && writer.error == nil)
    },
    Rule("Inputs are added before writing starts, and to one writer each") { scratch in
      let (writer, input) = try sound(scratch)
      #expect(!writer.canAdd(Writing.linearInput()))
      let other = try Writing.writer(scratch, "other.wav", "wav")
      #expect(!other.canAdd(input))
      #expect(throws: MediaError.self) { try other.add(input) }
      #expect(writer.inputs.count == 1 && other.inputs.isEmpty)
    },
    Rule("A writer's settings do not change once it writes") { scratch in
      let (writer, input) = try sound(scratch)
      writer.shouldOptimizeForNetworkUse = true
      writer.movieFragmentInterval = Writing.time(1)
      writer.metadata = [MetadataItem(.commonKeyTitle, "late")]
      input.languageCode = "deu"
      input.expectsMediaDataInRealTime = true
      #expect(!writer.shouldOptimizeForNetworkUse && !writer.movieFragmentInterval.isValid)
      #expect(writer.metadata.isEmpty && input.languageCode == nil)
      #expect(!input.expectsMediaDataInRealTime)
    },
    Rule("What is not set has the documented default") { scratch in
      let writer = try Writing.writer(scratch)
      let input = Writing.videoInput()
      #expect(!writer.shouldOptimizeForNetworkUse && writer.directoryForTemporaryFiles == nil)
      #expect(!writer.movieFragmentInterval.isValid && writer.movieTimeScale == 0)
      #expect(input.transform == .identity && input.mediaTimeScale == 0)
      #expect(input.naturalSize == (0, 0) && input.preferredVolume == 1)
      #expect(input.marksOutputTrackAsEnabled && !input.expectsMediaDataInRealTime)
      #expect(input.languageCode == nil && input.extendedLanguageTag == nil)
      #expect(input.metadata.isEmpty && !input.performsMultiPassEncodingIfSupported)
      #expect(!input.preferredMediaChunkDuration.isValid)
    },
    Rule("An unfinished input is finished with the writer") { scratch in
      let (writer, input) = try sound(scratch)
      try #require(input.append(Writing.tone(0)))
      writer.finishWriting()
      #expect(input.isFinished && writer.status == .completed)
    },
    Rule("Cancelling removes the file at once and ends the writer") { scratch in
      let (writer, input) = try sound(scratch)
      try #require(input.append(Writing.tone(0)))
      #expect(scratch.names == ["rule.wav"])
      writer.cancelWriting()
      #expect(scratch.names.isEmpty && writer.status == .cancelled && writer.error == nil)
      writer.finishWriting()
      #expect(writer.status == .cancelled)
    },
    Rule("Cancelling after completion leaves the file") { scratch in
      let (writer, input) = try sound(scratch)
      try #require(input.append(Writing.tone(0)))
      writer.finishWriting()
      writer.cancelWriting()
      #expect(scratch.names == ["rule.wav"] && writer.status == .completed)
    },
    Rule("Samples belong into a session") { scratch in
      let writer = try Writing.writer(scratch, "rule.wav", "wav")
      let input = Writing.linearInput()
      try writer.add(input)
      try #require(writer.startWriting())
      #expect(!input.append(try Writing.tone(0)))
      #expect(writer.status == .failed && scratch.names.isEmpty)
    },
  ]

  static let ofInputs: [Rule] = [
    Rule("An input is ready only within the session") { scratch in
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
    },
    Rule("An input that nobody has added takes nothing") { _ in
      let (input, tone) = (Writing.linearInput(), try Writing.tone(0))
      #expect(!input.append(tone))
      input.markAsFinished()
    },
    Rule("Marking as finished twice is marking once") { scratch in
      let (writer, input) = try sound(scratch)
      try #require(input.append(Writing.tone(0)))
      input.markAsFinished()
      input.markAsFinished()
      #expect(!input.isReadyForMoreMediaData)
      #expect(!input.append(try Writing.tone(1920)))
      writer.finishWriting()
      #expect(writer.status == .completed)
    },
    Rule("Pass-through needs a format hint that the container carries") { scratch in
      let writer = try Writing.writer(scratch)
      #expect(!writer.canAdd(AssetWriterInput(mediaType: .video, settings: nil)))
      let hint = FormatDescription(videoCodec: "vp6", width: 16, height: 16)
      #expect(
        !writer.canAdd(
          AssetWriterInput(mediaType: .video, settings: nil, sourceFormatHint: hint)))
    },
    Rule("A media time scale is not for sound") { _ in
      let (video, audio) = (Writing.videoInput(), Writing.audioInput())
      (video.mediaTimeScale, audio.mediaTimeScale) = (600, 600)
      #expect((video.mediaTimeScale, audio.mediaTimeScale) == (600, 0))
    },
    Rule("Media data is requested once for an input") { scratch in
      let (writer, input) = try sound(scratch)
      let queue = DispatchQueue(label: "rule")
      input.requestMediaDataWhenReady(on: queue) {}
      input.requestMediaDataWhenReady(on: queue) {}
      #expect(writer.status == .failed)
    },
    Rule("The block that brings samples runs on its queue, until the input is finished") {
      scratch in
      let (writer, input) = try sound(scratch)
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
      writer.finishWriting()
      #expect(writer.status == .completed)
    },
    Rule("Where an encoder makes one pass, no second is announced") { scratch in
      let writer = try Writing.writer(scratch)
      let input = Writing.videoInput()
      input.performsMultiPassEncodingIfSupported = true
      try Writing.start(writer, [input])
      #expect(input.currentPassDescription != nil && !input.canPerformMultiplePasses)
      try #require(input.append(Writing.picture(0)))
      input.markCurrentPassAsFinished()
      #expect(input.currentPassDescription == nil)
      input.markAsFinished()
      writer.finishWriting()
      #expect(writer.status == .completed)
    },
    Rule("The default input of a group is enabled and the others are not") { scratch in
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
    },
    Rule("An adaptor lends pictures while its writer writes, where it was given attributes") {
      scratch in
      let writer = try Writing.writer(scratch)
      let input = Writing.videoInput()
      let adaptor = PixelBufferAdaptor(
        assetWriterInput: input,
        sourcePixelBufferAttributes: .init(pixelFormat: .gray, width: 96, height: 64))
      #expect(adaptor.pixelBufferPool == nil)
      try Writing.start(writer, [input])
      #expect(adaptor.pixelBufferPool != nil)
      #expect(PixelBufferAdaptor(assetWriterInput: input).pixelBufferPool == nil)
    },
  ]

  static let ofReaders: [Rule] = [
    Rule("An output takes tracks of the reader's asset only") { _ in
      let path = Pipeline.clip("pattern-h264.mp4")
      let reader = try AssetReader(asset: Asset(path: path, registry: Pipeline.registry))
      let other = Asset(path: path, registry: Pipeline.registry)
      let output = AssetReaderTrackOutput(track: try other.tracks()[0], settings: nil)
      #expect(!reader.canAdd(output))
      #expect(throws: MediaError.self) { try reader.add(output) }
    },
    Rule("A reader has completed when every output has given nil") { _ in
      let (reader, outputs) = try reading()
      while outputs[0].copyNextSampleBuffer() != nil {}
      #expect(reader.status == .reading)
      while outputs[1].copyNextSampleBuffer() != nil {}
      #expect(reader.status == .completed && reader.error == nil)
    },
    Rule("A cancelled reader gives nil and no error") { _ in
      let (reader, outputs) = try reading()
      #expect(outputs[0].copyNextSampleBuffer() != nil)
      reader.cancelReading()
      #expect(outputs[0].copyNextSampleBuffer() == nil)
      #expect(reader.status == .cancelled && reader.error == nil)
    },
    Rule("Ranges are read anew after nil, in growing order, until the configuration is final") {
      _ in
      let (reader, outputs) = try reading { $0[0].supportsRandomAccess = true }
      let (output, other) = (outputs[0], outputs[1])
      let first = TimeRange(start: Writing.time(5), duration: Writing.time(5))
      let second = TimeRange(start: Writing.time(20), duration: Writing.time(5))
      #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [first]) }
      while output.copyNextSampleBuffer() != nil {}
      while other.copyNextSampleBuffer() != nil {}
      #expect(reader.status == .reading)
      #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [second, first]) }
      #expect(throws: MediaError.self) { try other.reset(forReadingTimeRanges: [first]) }
      try output.reset(forReadingTimeRanges: [first, second])
      var times: [MediaTime] = []
      while let sample = output.copyNextSampleBuffer() {
        times.append(sample.presentationTimeStamp)
      }
      #expect(times == (Array(5..<10) + Array(20..<25)).map { Writing.time($0) })
      output.markConfigurationAsFinal()
      #expect(reader.status == .completed)
      #expect(throws: MediaError.self) { try output.reset(forReadingTimeRanges: [first]) }
    },
    Rule("The time range does not change once reading has started") { _ in
      let (reader, _) = try reading()
      reader.timeRange = .zero
      #expect(reader.timeRange.duration == .positiveInfinity)
    },
  ]

  /// A started reader of a movie, pictures decoded and sound as it is stored.
  private static func reading(_ prepare: ([AssetReaderTrackOutput]) -> Void = { _ in }) throws
    -> (AssetReader, [AssetReaderTrackOutput])
  {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let outputs = try [MediaType.video, .audio].map { type in
      AssetReaderTrackOutput(
        track: try #require(try asset.tracks(withMediaType: type).first),
        settings: type == .video ? .video() : nil)
    }
    prepare(outputs)
    for output in outputs { try reader.add(output) }
    try #require(reader.startReading())
    return (reader, outputs)
  }

  @Test(arguments: ofWriters) func `of writers`(rule: Rule) throws { try rule.check(Scratch()) }
  @Test(arguments: ofInputs) func `of inputs`(rule: Rule) throws { try rule.check(Scratch()) }
  @Test(arguments: ofReaders) func `of readers`(rule: Rule) throws { try rule.check(Scratch()) }
}
