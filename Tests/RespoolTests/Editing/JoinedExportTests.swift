import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Compositions whose stored samples are joined without re-encoding.
@Suite struct JoinedExportTests {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  private func milliseconds(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(
      start: MediaTime(value: start, timescale: 1000), end: MediaTime(value: end, timescale: 1000))
  }

  private func joined(_ asset: Asset, to type: String) throws -> (
    path: String, report: ExportReport
  ) {
    let session = try ExportSession(
      asset: asset, presetName: ExportPreset.passthrough.rawValue, container: type,
      registry: Pipeline.registry)
    let path = scratch.path("joined.\(type)")
    let report = try session.exportAndWait(to: path)
    return (path, report)
  }

  @Test(
    .rule("The pass-through preset exports a composition without encoding"),
    arguments: ["mp4", "mov"])
  func `clips are joined without encoding and stay in sync`(type: String) throws {
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(1300, 2000), of: clip, at: .zero)
    try composition.insertTimeRangeAndWait(milliseconds(300, 1100), of: clip, at: .invalid)
    let (path, report) = try joined(composition, to: type)
    #expect(report.isCopy)
    let seen = try Pipeline.pictures(path).flashes()
    let heard = try Pipeline.sound(path).onsets()
    #expect(seen.count == 2 && heard.count == 2, "\(seen) \(heard)")
    for (a, b) in zip(seen, [0.22, 0.92]) { #expect(abs(a - b) < 0.02, "\(seen)") }
    for (a, b) in zip(heard, [0.2, 0.9]) { #expect(abs(a - b) < 0.005, "\(heard)") }
  }

  @Test(arguments: ["mp4", "mkv"])
  func `whole clips are the same frames to FFmpeg, one after the other`(type: String) throws {
    let composition = MutableComposition()
    let pattern = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    for _ in 0..<3 {
      try composition.insertTimeRangeAndWait(
        TimeRange(start: .zero, duration: try pattern.duration()), of: pattern, at: .invalid)
    }
    let (path, report) = try joined(composition, to: type)
    #expect(report.isCopy)
    let size = try #require(try pattern.tracks(withMediaType: .video).first).naturalSize
    let (width, height) = (Int(size.width), Int(size.height))
    let once = try FFmpegPictures(pattern.path ?? "", width: width, height: height).pictures
    #expect(
      try FFmpegPictures(path, width: width, height: height).pictures == once + once + once)
    let times = try Pipeline.pictures(path).map(\.presentationTimeStamp)
    let gaps = Set(zip(times, times.dropFirst()).map { $1 - $0 })
    #expect(times.count == 3 * once.count && gaps.count == 1, "\(gaps)")
  }

  @Test func `audio is exact from the first sample of each clip`() throws {
    let composition = MutableComposition()
    // Ranges within the beeps that do not start at packet boundaries.
    try composition.insertTimeRangeAndWait(milliseconds(511, 541), of: clip, at: .zero)
    try composition.insertTimeRangeAndWait(milliseconds(1503, 1583), of: clip, at: .invalid)
    let (path, _) = try joined(composition, to: "mp4")
    let whole = try Pipeline.sound(Pipeline.clip("clap-and-flash.mp4"))
    let rate = Double(whole.rate)
    let wanted = [(0.511, 0.541), (1.503, 1.583)].flatMap { start, end in
      whole.channels[0][Int((start * rate).rounded())..<Int((end * rate).rounded())]
    }
    let heard = try Pipeline.sound(path).channels[0]
    #expect(heard.count == wanted.count)
    let difference = zip(heard, wanted).map { abs($0 - $1) }.max() ?? 1
    #expect(difference < 1e-4, "\(difference)")
  }

  @Test func `text is joined and cut to its clips`() throws {
    let texts = try Captions.write(scratch, "texts.mp4", "mp4", "mov_text") { adaptor in
      #expect(adaptor.append(Captions.caption("one", 0, 400)))
      #expect(adaptor.append(Captions.caption("two", 500, 1500)))
      #expect(adaptor.append(Captions.caption("three", 1600, 2000)))
    }
    let source = try #require(
      try Asset(path: texts, registry: Pipeline.registry).tracks(withMediaType: .subtitle).first)
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(0, 2000), of: clip, at: .zero)
    let text = try #require(composition.addMutableTrack(withMediaType: .subtitle))
    try text.insertTimeRange(milliseconds(1000, 1700), of: source, at: .zero)
    try text.insertTimeRange(milliseconds(200, 1000), of: source, at: .invalid)
    let (path, _) = try joined(composition, to: "mp4")
    let groups = try Captions.groups(path).filter { !$0.captions.isEmpty }
    #expect(groups.flatMap(\.captions).map(\.text) == ["two", "three", "one", "two"])
    let times = groups.map {
      [$0.timeRange.start, $0.timeRange.end].map { Int($0.seconds * 1000) }
    }
    #expect(times == [[0, 500], [600, 700], [700, 900], [1000, 1500]])
  }

  @Test func `clips that cannot be joined are named with the reason`() throws {
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(0, 500), of: clip, at: .zero)
    let other = Asset(path: Pipeline.clip("pattern-vp9.webm"), registry: Pipeline.registry)
    try composition.insertTimeRangeAndWait(milliseconds(0, 500), of: other, at: .invalid)
    let error = #expect(throws: MediaError.self) { try joined(composition, to: "mp4") }
    let sentence = error?.description ?? ""
    #expect(
      sentence.contains("joined without re-encoding")
        && sentence.contains("in clap-and-flash.mp4 and pattern-vp9.webm"), "\(sentence)")
    #expect(scratch.names == [])
  }

  @Test func `slower clips are not copied`() throws {
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(0, 500), of: clip, at: .zero)
    composition.scaleTimeRange(
      milliseconds(0, 500), toDuration: MediaTime(value: 1, timescale: 1))
    let error = #expect(throws: MediaError.self) { try joined(composition, to: "mp4") }
    #expect(error?.description.contains("has another speed") == true)
  }

  @Test func `containers without edit lists reject parts`() throws {
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(milliseconds(300, 800), of: clip, at: .zero)
    let error = #expect(throws: MediaError.self) { try joined(composition, to: "mkv") }
    #expect(
      error?.description.contains("cannot hide samples needed") == true,
      "\(String(describing: error))")
  }

  /// Checks that audio that starts before its video, as encoders write it, is hidden where clips meet.
  @Test(arguments: ["aac", "libopus"])
  func `whole clips in Matroska stay in sync`(codec: String) throws {
    let source = scratch.path("clip.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-c:v", "copy", "-c:a", codec,
        source,
      ])
    let asset = Asset(path: source, registry: Pipeline.registry)
    let (path, report) = try Self.concatenated(
      [asset, asset, asset], to: scratch.path("joined.mkv"))
    #expect(report.isCopy, "\(report.losses)")
    let seen = try Pipeline.pictures(path).flashes()
    let heard = try Pipeline.sound(path).onsets()
    let once = try Pipeline.pictures(source).flashes()
    #expect(seen.count == 3 * once.count && heard.count == seen.count, "\(seen) \(heard)")
    for (flash, beep) in zip(seen, heard) { #expect(abs(flash - beep) < 0.03, "\(seen) \(heard)") }
    // In FFmpeg's decoded audio, times never decrease and gaps stay below 3,000 audio samples.
    let samples = try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a", "-f", "framecrc", "-"])
    let times = samples.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let fields = line.split(separator: ",").map { $0.filter { $0 != " " } }
      return fields.count > 3 ? (Int(fields[2]) ?? 0, Int(fields[3]) ?? 0) : nil
    }
    for (a, b) in zip(times, times.dropFirst()) {
      #expect(b.0 - a.0 - a.1 < 3000 && b.0 >= a.0, "\(a) \(b)")
    }
  }

  private static func concatenated(_ clips: [Asset], to path: String) throws -> (
    path: String, report: ExportReport
  ) {
    let sequence = try ClipSequence(clips, crossfade: .zero)
    let session = try ExportSession(
      asset: sequence.composition, presetName: ExportPreset.passthrough.rawValue, container: "mkv",
      registry: Pipeline.registry)
    return (path, try session.exportAndWait(to: path))
  }
}
