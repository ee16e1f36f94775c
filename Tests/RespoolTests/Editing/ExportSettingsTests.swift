import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// File types that a session can write, and its settings besides the preset.
@Suite struct ExportSettingsTests {
  let scratch: Scratch
  let registry = Pipeline.registry

  init() throws { scratch = try Scratch() }

  private func asset(_ clip: String) -> Asset {
    Asset(path: Pipeline.clip(clip), registry: registry)
  }

  private func session(_ clip: String, _ preset: ExportPreset) throws -> ExportSession {
    try ExportSession(
      asset: asset(clip), presetName: preset.rawValue, registry: registry, threads: 2)
  }

  @Test(.rule("The supported file types are those of the preset that can store the asset"))
  func `supported file types can store every track`() throws {
    #expect(
      try session("clap-and-flash.mp4", .size640x480).supportedFileTypes() == ["mp4", "mov", "m4v"])
    #expect(try session("speech.wav", .m4a).supportedFileTypes() == ["m4a"])
    let free = try ExportSession(
      asset: asset("clap-and-flash.mp4"), preset: try Pipeline.preset("web-480p"),
      registry: registry)
    let all = try free.supportedFileTypes()
    #expect(all.first == "mp4" && Set(all).isSuperset(of: ["m4v", "mov", "mkv"]))
    let copies = try session("pattern-vp9.webm", .passthrough)
    copies.outputFileType = "webm"
    let types = try copies.supportedFileTypes()
    #expect(types.first == "webm" && types.contains("matroska"))
    #expect(!types.contains("wav") && !types.contains("ogg"))
  }

  @Test func `every supported file type can be written with the same tracks`() async throws {
    let types = try await session("clap-and-flash.mp4", .passthrough).compatibleFileTypes
    #expect(types.contains("mov") && types.contains("mp4") && types.contains("matroska"))
    for type in types {
      let session = try session("clap-and-flash.mp4", .passthrough)
      session.outputFileType = type
      let path = scratch.path(type.rawValue)
      let report = try session.exportAndWait(to: path, progress: nil)
      #expect(report.isCopy && report.losses.isEmpty, "\(type): \(report.losses)")
      let codecs = try Asset(path: path, registry: registry).tracks().map {
        $0.formatDescription.codec
      }
      #expect(Set(codecs) == ["h264", "aac"], "\(type)")
    }
  }

  @Test(.rule) func `a file type that the preset does not support is an error`() throws {
    let session = try session("speech.wav", .m4a)
    session.outputFileType = "mov"
    #expect(throws: MediaError.self) { try session.prepare() }
    session.outputFileType = "nothing"
    #expect(throws: MediaError.self) { try session.prepare() }
    session.outputFileType = "m4a"
    #expect(try session.prepare().container == "ipod")
  }

  @Test(
    .rule(
      "Compatibility is that of a preset, an asset and a file type together; no file type means any"
    ),
    arguments: [
      ("AVAssetExportPreset640x480", "clap-and-flash.mp4", "mov", true),
      ("AVAssetExportPreset640x480", "clap-and-flash.mp4", nil, true),
      ("AVAssetExportPreset640x480", "clap-and-flash.mp4", "wav", false),
      ("AVAssetExportPresetAppleM4A", "speech.wav", "m4a", true),
      ("AVAssetExportPresetAppleM4A", "animation.gif", "m4a", false),
      ("AVAssetExportPresetPassthrough", "clap-and-flash.mp4", "wav", false),
      ("AVAssetExportPresetHEVC1920x1080", "clap-and-flash.mp4", nil, false),
      ("mine", "clap-and-flash.mp4", nil, false),
      ("AVAssetExportPreset640x480", "notes.txt", nil, false),
      ("AVAssetExportPreset640x480", "is-not-there.mp4", nil, false),
    ])
  func `a preset, an asset and a file type are compatible or not`(
    preset: String, clip: String, type: FileType?, isCompatible: Bool
  ) async {
    #expect(
      ExportSession.determineCompatibility(
        ofExportPreset: preset, with: asset(clip), outputFileType: type, in: registry)
        == isCompatible)
    #expect(
      await ExportSession.compatibility(
        ofExportPreset: preset, with: asset(clip), outputFileType: type, in: registry)
        == isCompatible)
  }

  @Test(.rule("The presets compatible with an asset are among all presets"))
  func `presets listed for an asset are compatible with it`() async throws {
    let all = ExportSession.allExportPresets()
    #expect(Set(all).count == all.count && all.contains("AVAssetExportPresetPassthrough"))
    let film = asset("clap-and-flash.mp4")
    let some: [String] = try await ExportSession.loadExportPresets(
      compatibleWith: film, in: registry)
    #expect(!some.isEmpty && Set(some).isSubset(of: all))
    for name in all {
      #expect(
        ExportSession.determineCompatibility(
          ofExportPreset: name, with: film, outputFileType: nil, in: registry)
          == some.contains(name), "\(name)")
    }
  }

  @Test(.rule, arguments: [true, false])
  func `an export optimized for network use has the movie box first`(isFirst: Bool) throws {
    let session = try session("clap-and-flash.mp4", .passthrough)
    session.outputFileType = "mp4"
    #expect(session.shouldOptimizeForNetworkUse)
    session.shouldOptimizeForNetworkUse = isFirst
    let path = scratch.path("out.mp4")
    _ = try session.exportAndWait(to: path, progress: nil)
    let boxes = try Writing.boxes(path)
    let (movie, media) = (boxes.firstIndex(of: "moov"), boxes.firstIndex(of: "mdat"))
    #expect((try #require(movie) < #require(media)) == isFirst)
  }

  /// Creates a movie with one video track and two audio tracks.
  private func twoLanguages() throws -> Asset {
    let path = scratch.path("two.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-map", "0:v", "-map", "0:a",
        "-map", "0:a", "-c", "copy", "-metadata:s:a:0", "language=deu", "-metadata:s:a:1",
        "language=fra", path,
      ])
    return Asset(path: path, registry: registry)
  }

  @Test(.rule) func `alternate tracks are preserved by pass-through on request`() throws {
    let source = try twoLanguages()
    func export(_ name: String, _ handling: AssetTrackGroupOutputHandling) throws -> [AssetTrack] {
      let session = try ExportSession(
        asset: source, presetName: ExportPreset.size640x480.rawValue, registry: registry)
      #expect(session.audioTrackGroupHandling == [])
      session.audioTrackGroupHandling = handling
      _ = try session.exportAndWait(to: scratch.path(name), progress: nil)
      return try Asset(path: scratch.path(name), registry: registry)
        .tracks(withMediaType: .audio)
    }
    #expect(try export("one.mp4", []).count == 1)
    let kept = try export("both.mp4", .preserveAlternateTracks)
    #expect(kept.map(\.languageCode) == ["deu", "fra"])
    let before = try Pipeline.samples(of: source, .audio, nil)
    let after = try Pipeline.samples(scratch.path("both.mp4"), .audio, nil)
    #expect(before.map(\.totalSampleSize) == after.map(\.totalSampleSize))
  }

  @Test(.rule) func `handling of track groups conflicts with an audio mix`() throws {
    let session = try session("clap-and-flash.mp4", .size640x480)
    session.audioTrackGroupHandling = .preserveAlternateTracks
    session.audioMix = MutableAudioMix(inputParameters: [])
    #expect(throws: MediaError.self) { try session.prepare() }
    session.audioMix = nil
    #expect(try session.prepare().outputTracks.count == 2)
  }

  @Test(.rule) func `the pass-through preset ignores an audio mix and a video composition`() throws
  {
    let session = try session("clap-and-flash.mp4", .passthrough)
    session.outputFileType = "mp4"
    session.audioMix = MutableAudioMix(inputParameters: [])
    session.videoComposition = try VideoComposition(propertiesOf: session.asset)
    let path = scratch.path("copied.mp4")
    #expect(try session.exportAndWait(to: path, progress: nil).isCopy)
    for type in [MediaType.video, .audio] {
      #expect(
        try Pipeline.samples(path, type, nil).map(\.totalSampleSize)
          == Pipeline.samples(of: session.asset, type, nil).map(\.totalSampleSize))
    }
  }

  @Test(.rule) func `the maximum duration follows from the file length limit`() async throws {
    func session(_ limit: Int64) throws -> ExportSession {
      let session = try ExportSession(
        asset: asset("speech.wav"), preset: try Pipeline.preset("opus-128k"), registry: registry)
      session.fileLengthLimit = limit
      return session
    }
    let whole = try asset("speech.wav").duration()
    #expect(try session(0).estimateMaximumDuration() == whole)
    let length = try #require(try session(0).estimatedOutputFileLength())
    #expect(try session(length * 2).estimateMaximumDuration() == whole)
    #expect(try session(length / 2).estimatedOutputFileLength() == length / 2)
    let half = try await session(length / 2).estimatedMaximumDuration
    // A part of the bytes of the container does not depend on the duration.
    #expect(abs(half.seconds - whole.seconds / 2) < 0.05)
    #expect(try await session(0).estimatedOutputFileLengthInBytes == length)
  }

  @Test(.rule) func `an export accepts a path and a file type in one call`() async throws {
    let blocking = try session("clap-and-flash.mp4", .passthrough)
    let report = try blocking.exportAndWait(
      to: scratch.path("a.mkv"), as: "matroska", progress: nil)
    #expect(report.isCopy)
    let waiting = try session("clap-and-flash.mp4", .passthrough)
    _ = try await waiting.export(to: scratch.path("b.mov"), as: "mov")
    let formats = try ["a.mkv", "b.mov"].map {
      try Asset(path: scratch.path($0), registry: registry).mediaDescription().format
    }
    #expect(formats[0].contains("matroska") && formats[1].contains("mov"), "\(formats)")
    let prepared = try session("clap-and-flash.mp4", .passthrough)
    _ = try prepared.prepare()
    await #expect(throws: MediaError.self) {
      try await prepared.export(to: scratch.path("c.mkv"), as: "matroska")
    }
    #expect(scratch.names.sorted() == ["a.mkv", "b.mov"])
  }
}
