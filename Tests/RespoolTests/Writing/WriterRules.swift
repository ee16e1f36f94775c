import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Documented rules for writers, one test for each.
@Suite struct WriterRules {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a started writer of a WAV file, with the session started at zero, and its input.
  private func sound() throws -> (AssetWriter, AssetWriterInput) {
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    return (writer, input)
  }

  @Test(.rule) func `a writer writes one file, once`() throws {
    let (writer, input) = try sound()
    try #require(input.append(Writing.tone(0)))
    writer.finishWritingAndWait()
    #expect(!writer.startWriting())
    #expect(!input.append(try Writing.tone(1920)))
    #expect(writer.status == .completed)
  }

  @Test(.rule) func `writing fails if the file exists`() throws {
    try Data().write(to: URL(filePath: scratch.path("rule.wav")))
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    try writer.add(Writing.linearInput())
    #expect(!writer.startWriting())
    #expect(writer.status == .failed && writer.error != nil)
    #expect(scratch.names == ["rule.wav"])
  }

  /// In a missing folder, in a file instead of a folder, and in a folder in which even root cannot create files.
  @Test(.rule, arguments: ["missing/rule.wav", "file/rule.wav", "/proc/rule.wav"])
  func `startWriting is false if the file cannot be created, and error has the reason`(
    place: String
  ) throws {
    try Data().write(to: URL(filePath: scratch.path("file")))
    let path = place.hasPrefix("/") ? place : scratch.path(place)
    let writer = try AssetWriter(path: path, container: "wav", registry: Pipeline.registry)
    try writer.add(Writing.linearInput())
    #expect(!writer.startWriting())
    #expect(writer.status == .failed && writer.error?.code == .io)
    #expect(scratch.names == ["file"])
    let other = try AssetWriter(path: path, container: "wav", registry: Pipeline.registry)
    let error = #expect(throws: MediaError.self) { try other.start() }
    #expect(error?.message == writer.error?.message)
  }

  @Test(.rule("start throws if startWriting would be false"))
  func `starting twice is an error that leaves the writer writing`() throws {
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    let receiver = try writer.inputReceiver(for: Writing.linearInput())
    try writer.start()
    let error = #expect(throws: MediaError.self) { try writer.start() }
    #expect(error?.code == .invalidArgument && writer.status == .writing)
    writer.startSession(atSourceTime: .zero)
    #expect(try receiver.appendImmediately(Writing.tone(0)))
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
  }

  @Test(.rule) func `the status goes from unknown to writing to completed`() throws {
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    let input = Writing.linearInput()
    #expect(writer.status == .unknown)
    try Writing.start(writer, [input])
    #expect(writer.status == .writing)
    try #require(input.append(Writing.tone(0)))
    writer.finishWritingAndWait()
    #expect(writer.status == .completed && writer.error == nil)
  }

  @Test(.rule) func `inputs are added before writing starts, and to one writer each`() throws {
    let (writer, input) = try sound()
    #expect(!writer.canAdd(Writing.linearInput()))
    let other = try Writing.writer(scratch, "other.wav", "wav")
    #expect(!other.canAdd(input))
    #expect(throws: MediaError.self) { try other.add(input) }
    #expect(writer.inputs.count == 1 && other.inputs.isEmpty)
  }

  @Test(.rule) func `a writer's settings do not change after writing has started`() throws {
    let (writer, input) = try sound()
    writer.shouldOptimizeForNetworkUse = true
    writer.movieFragmentInterval = Writing.time(1)
    writer.metadata = [MetadataItem(.commonKeyTitle, "late")]
    input.languageCode = "deu"
    input.expectsMediaDataInRealTime = true
    #expect(!writer.shouldOptimizeForNetworkUse && !writer.movieFragmentInterval.isValid)
    #expect(writer.metadata.isEmpty && input.languageCode == nil)
    #expect(!input.expectsMediaDataInRealTime)
  }

  @Test(.rule) func `properties have the documented defaults`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    #expect(!writer.shouldOptimizeForNetworkUse && writer.directoryForTemporaryFiles == nil)
    #expect(!writer.movieFragmentInterval.isValid && writer.movieTimeScale == 0)
    #expect(!writer.overallDurationHint.isValid && writer.initialMovieFragmentSequenceNumber == 1)
    #expect(input.transform == .identity && input.mediaTimeScale == 0)
    #expect(input.naturalSize == (0, 0) && input.preferredVolume == 1)
    #expect(input.marksOutputTrackAsEnabled && !input.expectsMediaDataInRealTime)
    #expect(input.languageCode == nil && input.extendedLanguageTag == nil)
    #expect(input.metadata.isEmpty && !input.performsMultiPassEncodingIfSupported)
    #expect(!input.preferredMediaChunkDuration.isValid && input.preferredMediaChunkAlignment == 0)
  }

  @Test(.rule) func `an unfinished input is finished with the writer`() throws {
    let (writer, input) = try sound()
    try #require(input.append(Writing.tone(0)))
    writer.finishWritingAndWait()
    #expect(input.isFinished && writer.status == .completed)
  }

  @Test(.rule) func `canceling removes the file at once and ends the writer`() throws {
    let (writer, input) = try sound()
    try #require(input.append(Writing.tone(0)))
    #expect(scratch.names == ["rule.wav"])
    writer.cancelWriting()
    #expect(scratch.names.isEmpty && writer.status == .cancelled && writer.error == nil)
    writer.finishWritingAndWait()
    #expect(writer.status == .cancelled)
  }

  @Test(.rule) func `canceling after completion leaves the file`() throws {
    let (writer, input) = try sound()
    try #require(input.append(Writing.tone(0)))
    writer.finishWritingAndWait()
    writer.cancelWriting()
    #expect(scratch.names == ["rule.wav"] && writer.status == .completed)
  }

  @Test(.rule) func `samples are appended within a session`() throws {
    let writer = try Writing.writer(scratch, "rule.wav", "wav")
    let input = Writing.linearInput()
    try writer.add(input)
    try #require(writer.startWriting())
    #expect(!input.append(try Writing.tone(0)))
    #expect(writer.status == .failed && scratch.names.isEmpty)
  }
}
