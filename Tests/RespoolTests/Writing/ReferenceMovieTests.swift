import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct ReferenceMovies {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Writes a movie of an asset's tracks, with their media or with references to it.
  ///
  /// Returns the finished writer.
  private func write(
    _ asset: Asset, _ name: String, asReferences: Bool = true, base: String? = nil,
    container: String = "mov", _ configure: (AssetWriter) -> Void = { _ in }
  ) throws -> AssetWriter {
    let writer = try Writing.writer(scratch, name, container)
    configure(writer)
    let samples = try asset.tracks().map { track in
      let input = Writing.copyingInput(track)
      input.sampleReferenceBasePath = base
      return (input, try Writing.stored(track, asReferences: asReferences))
    }
    try Writing.start(writer, samples.map(\.0))
    // A failed append is ignored here: the tests check the writer's status.
    for number in 0..<(samples.map(\.1.count).max() ?? 0) {
      for (input, own) in samples where number < own.count { input.append(own[number]) }
    }
    writer.finishWritingAndWait()
    return writer
  }

  private func completed(_ writer: AssetWriter) throws -> String {
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  private func asset(_ path: String) -> Asset { Asset(path: path, registry: Pipeline.registry) }

  /// Copies a clip to the folder of the test, and returns the path of the copy.
  private func clip(_ name: String, at place: String) throws -> String {
    let path = scratch.path(place)
    try FileManager.default.createDirectory(
      atPath: PathName.folder(path), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Pipeline.clip(name), toPath: path)
    return path
  }

  @Test(.rule, arguments: ["clap-and-flash.mp4", "portrait.mov", "speech.wav"], [true, false])
  func `sample references make a movie without media of its own`(name: String, isInFront: Bool)
    throws
  {
    let source = AssetFixture.asset(name)
    let configure = { (writer: AssetWriter) in writer.shouldOptimizeForNetworkUse = isInFront }
    let plain = try completed(write(source, "plain.mov", asReferences: false, configure))
    let path = try completed(write(source, "reference.mov", configure))
    let data = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(Writing.boxes("mdat", in: data[...]).map(\.count) == [0])
    let expected = try Writing.frameHashes(plain)
    #expect(expected.count > 10)
    let flags = ["-enable_drefs", "1", "-use_absolute_path", "1"]
    #expect(try Writing.frameHashes(path, input: flags) == expected)
    // ffmpeg reads PCM from a WAV file in blocks of another size.
    guard name != "speech.wav" else { return }
    let hashes = try Writing.frameHashes(Pipeline.clip(name)).map { $0.split(separator: ",").last }
    #expect(expected.map { $0.split(separator: ",").last } == hashes)
  }

  @Test(.rule) func `sample locations are relative to the base`() throws {
    let clip = try clip("clap-and-flash.mp4", at: "here/media/a clip.mp4")
    let source = asset(clip)
    let plain = try completed(write(source, "plain.mov", asReferences: false))
    // The path of the folder is written in another way than the path of the file.
    let base = scratch.path("here/../here/./")
    let movie = try completed(write(source, "here/reference.mov", base: base))
    #expect(try !Writing.contains(movie, scratch.folder.lastPathComponent))
    try FileManager.default.moveItem(atPath: scratch.path("here"), toPath: scratch.path("there"))
    let moved = scratch.path("there/reference.mov")
    #expect(
      try Writing.frameHashes(moved, input: ["-enable_drefs", "1"]) == Writing.frameHashes(plain))
  }

  @Test(.rule) func `the base contains all files of the sample references`() throws {
    for (folder, isRefused) in [("a", false), ("", false), ("b", true), ("a/cli", true)] {
      let clip = try clip("clap-and-flash.mp4", at: "a/clip.mp4")
      let writer = try write(
        asset(clip), "out.mov", base: folder.isEmpty ? "/" : scratch.path(folder))
      #expect((writer.status == .failed) == isRefused)
      if isRefused {
        #expect(writer.error?.code == .invalidArgument)
        #expect(writer.error?.message.contains(clip) == true)
      }
      for name in scratch.names { try FileManager.default.removeItem(atPath: scratch.path(name)) }
    }
  }

  @Test func `a track refers to several files`() throws {
    let film = MutableComposition()
    let picture = try #require(film.addMutableTrack(withMediaType: .video))
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    let paths = try (0..<2).map { try clip("clap-and-flash.mp4", at: "\($0)/clip.mp4") }
    // Makes the second file differ from the first.
    let place = try Writing.stored(AssetFixture.track("clap-and-flash.mp4"), asReferences: true)[0]
    let offset = try #require(place.attachments.sampleReference?.byteOffset)
    let file = try FileHandle(forUpdating: URL(filePath: paths[1]))
    try file.seek(toOffset: UInt64(offset) + 100)
    try file.write(contentsOf: Data([1, 2, 3, 4]))
    try file.close()
    for number in [0, 1, 0] {
      let track = try #require(try asset(paths[number]).tracks(withMediaType: .video).first)
      try picture.insertTimeRange(second, of: track, at: .invalid)
    }
    let path = try completed(write(film, "film.mov", base: scratch.folder.path))
    let stored = try Writing.stored(try #require(film.tracks().first))
    let expected = stored.map { $0.dataBuffer?.withBytes { Data($0) } }
    let samples = try ReferencedSamples(path)
    #expect(samples.files == ["0/clip.mp4", "1/clip.mp4"])
    #expect(try samples.data(in: scratch.folder) == expected)
    #expect(expected.count > 75)
  }

  @Test(.rule("Sample references are for QuickTime movies"))
  func `sample references are for QuickTime movies without fragments`() throws {
    let source = AssetFixture.asset("clap-and-flash.mp4")
    for container in ["mp4", "m4v", "mkv"] {
      let writer = try write(source, "out.\(container)", container: container)
      #expect(writer.status == .failed && writer.error?.code == .unsupported)
      #expect(writer.error?.message.contains("does not refer") == true)
    }
    let writer = try write(source, "out.mov") { $0.movieFragmentInterval = Writing.time(25) }
    #expect(writer.status == .failed && writer.error?.code == .unsupported)
    #expect(writer.error?.message.contains("fragment") == true)
    #expect(scratch.names.isEmpty)
  }

  @Test func `a sample of another format than the first is rejected`() throws {
    let samples = try ["clap-and-flash.mp4", "pattern-h264.mp4"].map {
      try Writing.stored(AssetFixture.track($0), asReferences: true)[0]
    }
    for hint in [samples[0].formatDescription, nil] {
      let writer = try Writing.writer(scratch, "out\(hint == nil).mov", "mov")
      let input = AssetWriterInput(mediaType: .video, settings: nil, sourceFormatHint: hint)
      try Writing.start(writer, [input])
      #expect(input.append(samples[0]))
      #expect(!input.append(samples[1]))
      #expect(writer.error?.message.contains("another format") == true)
    }
  }

  @Test func `reading reports the location of the media and does not read it`() throws {
    let path = try completed(write(AssetFixture.asset("clap-and-flash.mp4"), "reference.mov"))
    let track = try #require(try asset(path).tracks().first)
    let reader = try AssetReader(asset: try #require(track.asset))
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    try reader.add(output)
    reader.startReading()
    #expect(output.copyNextSampleBuffer() == nil)
    #expect(reader.status == .failed && reader.error?.code == .unsupported)
    #expect(reader.error?.message.contains(Pipeline.clip("clap-and-flash.mp4")) == true)
  }

  @Test(.rule)
  func
    `the base of sample references is nil by default, and does not change after writing has started`()
    throws
  {
    let writer = try Writing.writer(scratch, "out.mov", "mov")
    let input = Writing.linearInput()
    #expect(input.sampleReferenceBasePath == nil)
    input.sampleReferenceBasePath = "/a"
    try Writing.start(writer, [input])
    input.sampleReferenceBasePath = "/b"
    #expect(input.sampleReferenceBasePath == "/a")
    writer.cancelWriting()
  }
}

/// The samples of a movie's first track, found only with its sample tables (ISO/IEC 14496-12 8.7).
private struct ReferencedSamples {
  /// Paths relative to the folder of the movie.
  var files: [String] = []
  var places: [(file: Int, offset: Int, size: Int)] = []

  init(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let media = try #require(Writing.boxes("moov/trak/mdia/minf", in: bytes[...]).first)
    func words(_ path: String, _ width: Int = 4) throws -> [Int] {
      let box = try #require(Writing.boxes(path, in: media).first)
      return stride(from: box.startIndex + 4, to: box.endIndex - width + 1, by: width).map {
        box[$0..<$0 + width].reduce(0) { $0 << 8 | Int($1) }
      }
    }
    let references = try #require(Writing.boxes("dinf/dref", in: media).first).dropFirst(8)
    for alias in Writing.boxes("alis", in: references) {
      // The tag 2 with its length, then a path whose volume is "Volume".
      let start = try #require(
        (alias.startIndex..<alias.endIndex - 13).first {
          alias[$0..<$0 + 2] == [0, 2] && alias[$0 + 4..<$0 + 11].elementsEqual("Volume:".utf8)
        })
      let count = Int(alias[start + 2]) << 8 | Int(alias[start + 3])
      let name = String(decoding: alias[start + 11..<start + 4 + count], as: UTF8.self)
      files.append(name.replacing(":", with: "/"))
    }
    let entries = try #require(Writing.boxes("stbl/stsd", in: media).first).dropFirst(8)
    let selected = Writing.boxes("avc1", in: entries).map {
      Int($0[$0.startIndex + 6]) << 8 | Int($0[$0.startIndex + 7])
    }
    let sizes = try words("stbl/stsz").dropFirst(2)
    let runs = try words("stbl/stsc").dropFirst()
    var sample = sizes.startIndex
    var run = runs.startIndex
    for (chunk, offset) in try words("stbl/stco").dropFirst().enumerated() {
      if run + 3 < runs.endIndex, runs[run + 3] == chunk + 1 { run += 3 }
      var place = offset
      for _ in 0..<runs[run + 1] {
        places.append((selected[runs[run + 2] - 1] - 1, place, sizes[sample]))
        place += sizes[sample]
        sample += 1
      }
    }
    #expect(sample == sizes.endIndex)
  }

  func data(in folder: URL) throws -> [Data] {
    let files = try files.map { try Data(contentsOf: folder.appending(path: $0)) }
    return places.map { files[$0.file][$0.offset..<$0.offset + $0.size] }
  }
}
