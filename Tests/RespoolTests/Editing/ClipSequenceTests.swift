import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Joined clips, checked by the video and audio of the output.
@Suite struct ClipSequenceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func clips(_ names: [String]) -> [Asset] {
    names.map { Asset(path: Pipeline.clip($0), registry: Pipeline.registry) }
  }

  private func export(_ sequence: ClipSequence, _ preset: String) throws -> String {
    let session = try ExportSession(
      asset: sequence.composition, preset: try Pipeline.preset(preset),
      registry: Pipeline.registry, threads: 2)
    session.audioMix = sequence.audioMix
    session.videoComposition = sequence.videoComposition
    let path = scratch.path("joined")
    _ = try session.exportAndWait(to: path)
    return path
  }

  /// Returns the composed frames before they are encoded.
  private func pictures(_ sequence: ClipSequence) throws -> [SampleBuffer] {
    let reader = try AssetReader(asset: sequence.composition)
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try sequence.composition.tracks(withMediaType: .video))
    output.videoComposition = sequence.videoComposition
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return samples
  }

  private func bytes(_ sample: SampleBuffer) throws -> [UInt8] {
    FrameFixture.allBytes(try #require(sample.frame))
  }

  private func tenths(_ count: Int64) -> MediaTime { MediaTime(value: count, timescale: 10) }

  @Test(arguments: [
    MediaTime(value: -1, timescale: 2), .invalid, .indefinite, .positiveInfinity, .negativeInfinity,
  ])
  func `a crossfade is as long as a time can be`(crossfade: MediaTime) throws {
    let clips = clips(["clap-and-flash.mp4", "clap-and-flash.mp4"])
    let error = #expect(throws: MediaError.self) {
      try ClipSequence(clips, crossfade: crossfade)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasSuffix("must be 0 or more") == true)
  }

  @Test(arguments: [0, 5])
  func `joined clips stay in sync`(crossfade: Int64) throws {
    let sequence = try ClipSequence(
      clips(["clap-and-flash.mp4", "clap-and-flash.mp4"]), crossfade: tenths(crossfade))
    let path = try export(sequence, "web-480p")
    // A crossfade lies between the beep at 1.5 s of the first clip and the one at 0.5 s of the second.
    let second = 2 - Double(crossfade) / 10
    let flashes = try Pipeline.pictures(path).flashes()
    let beeps = try Pipeline.sound(path).onsets()
    let expected = crossfade == 0 ? [0.5, 1.5, second + 0.5, second + 1.5] : [0.5, 1.5, 2, 3]
    #expect(flashes.count == expected.count, "\(flashes)")
    #expect(beeps.count == expected.count, "\(beeps)")
    for (beep, time) in zip(beeps, expected) { #expect(abs(beep - time) < 0.005, "\(beeps)") }
    for (flash, time) in zip(flashes, expected) { #expect(abs(flash - time) < 0.05, "\(flashes)") }
    let length = try Asset(path: path, registry: Pipeline.registry).duration().seconds
    #expect(abs(length - 4 + Double(crossfade) / 10) < 0.05)
  }

  @Test func `a crossfade is the blend of both clips`() throws {
    let names = ["pattern-h264.mp4", "pattern-flac.mkv"]
    let sequence = try ClipSequence(clips(names), crossfade: tenths(10))
    let made = try pictures(sequence)
    let first = try Pipeline.pictures(Pipeline.clip(names[0]))
    let second = try Pipeline.pictures(Pipeline.clip(names[1]))
    try #require(made.count >= 70)
    for index in [0, 24] { #expect(try bytes(made[index]) == bytes(first[index])) }
    for index in [26, 32, 40, 48] {
      let part = Double(index - 25) / 25
      let (old, new) = try (bytes(first[index]), bytes(second[index - 25]))
      let worst = zip(try bytes(made[index]), zip(old, new)).map { blend, pair in
        abs(Double(blend) - (Double(pair.0) * (1 - part) + Double(pair.1) * part))
      }.max()
      #expect(try #require(worst) < 2, "\(index)")
    }
    #expect(try bytes(made[55]) == bytes(second[30]))
  }

  @Test func `other sizes and rotations are fitted into the first clip`() throws {
    let sequence = try ClipSequence(
      clips(["pattern-h264.mp4", "portrait.mov", "clap-and-flash.mp4"]))
    let made = try pictures(sequence)
    #expect(made.count == 150)
    for picture in made {
      #expect(picture.frame?.width == 320 && picture.frame?.height == 180)
    }
    // 180x320 becomes 102x180 with bars of 109 pixels at its sides.
    #expect(try made[75].brightness(x: 0..<0.33) < 17)
    #expect(try made[75].brightness(x: 0.67..<1) < 17)
    #expect(try made[75].brightness(x: 0.4..<0.6) > 40)
  }

  @Test func `missing video is black and missing audio is silent for the length of the clip`()
    throws
  {
    let sequence = try ClipSequence(clips(["speech.wav", "pattern-h264.mp4", "speech.wav"]))
    #expect(abs(sequence.composition.duration().seconds - 7) < 1e-6)
    let made = try pictures(sequence)
    // At 25 frames per second, 63 frames start within 2.5 s.
    #expect(made.count == 63 + 50 + 63)
    for picture in made {
      let time = picture.presentationTimeStamp.seconds
      let light = try picture.brightness()
      if time < 2.5 || time >= 4.5 { #expect(light < 17, "\(time)") } else { #expect(light > 40) }
    }
    #expect(made[63].presentationTimeStamp == MediaTime(value: 5, timescale: 2))
  }

  @Test(arguments: [0, 0.13])
  func `frames of a clip that begins between two start with its audio`(crossfade: Double)
    throws
  {
    let own = try Pipeline.pictures(Pipeline.clip("clap-and-flash.mp4")).flashes()
    let first = crossfade > 0 ? "pattern-h264.mp4" : "speech.wav"
    let sequence = try ClipSequence(
      clips([first, "clap-and-flash.mp4"]),
      crossfade: MediaTime(seconds: crossfade, preferredTimescale: 1000))
    let start = sequence.composition.duration().seconds - 2
    try #require(abs((start * 25).rounded() - start * 25) > 0.2)
    let path = try export(sequence, "web-480p")
    let flashes = try Pipeline.pictures(path).flashes().filter { $0 > start + 0.2 }
    let beeps = try Pipeline.sound(path).onsets()
    let expected = own.filter { $0 > 0.2 }.map { start + $0 }
    try #require(!expected.isEmpty && flashes.count == expected.count)
    for (flash, time) in zip(flashes, expected) { #expect(abs(flash - time) < 0.005) }
    let heard = try Pipeline.sound(Pipeline.clip("clap-and-flash.mp4")).onsets().map { start + $0 }
    try #require(heard.count == 2)
    for time in heard { #expect(beeps.contains { abs($0 - time) < 0.005 }, "\(beeps)") }
  }

  @Test func `joined audio is exact to the sample, without padding`() throws {
    let measured = ["pattern-h264.mp4", "pattern-h264.mp4"].map {
      Asset(
        path: Pipeline.clip($0), registry: Pipeline.registry, prefersPreciseDurationAndTiming: true)
    }
    let sequence = try ClipSequence(measured, showsPictures: false)
    let joined = try Pipeline.sound(try export(sequence, "wav"))
    let one = try Pipeline.sound(Pipeline.clip("pattern-h264.mp4"))
    #expect(one.count == 96_000)
    #expect(joined.count == 2 * one.count)
  }

  @Test func `joined audio is as deep as its sources`() throws {
    let sequence = try ClipSequence(clips(["tones-5.1.wav", "tones-5.1.wav"]))
    let asset = Asset(path: try export(sequence, "wav"), registry: Pipeline.registry)
    #expect(try asset.tracks().map(\.description.codec) == ["pcm_s24le"])
  }

  @Test func `no black frames appear where a first frame is late`() throws {
    // The first frame of the WebM file has a presentation time of 7 ms.
    let sequence = try ClipSequence(clips(["pattern-vp9.webm", "pattern-vp9.webm"]))
    let light = try pictures(sequence).map { try $0.brightness() }
    #expect(light.count >= 100)
    #expect(try #require(light.min()) > 40)
  }

  @Test func `no audio loses channels or rate beside another`() throws {
    let sequence = try ClipSequence(clips(["speech.wav", "tones-5.1.wav"]))
    #expect(sequence.videoComposition == nil)
    let sound = try Pipeline.sound(try export(sequence, "wav"))
    #expect(sound.channels.count == 6)
    #expect(sound.rate == 48_000)
    #expect(abs(sound.count - 129_600) <= 1)
  }

  @Test func `clips without media or too short for the fades are errors`() throws {
    for (names, crossfade): ([String], Int64) in [
      (["speech.wav", "still.png"], 0), (["pattern-h264.mp4", "tones-5.1.wav"], 5),
      (["clap-and-flash.mp4", "clap-and-flash.mp4", "clap-and-flash.mp4"], 11), ([], 0),
    ] {
      #expect(throws: MediaError.self) {
        try ClipSequence(clips(names), crossfade: tenths(crossfade))
      }
    }
  }

  @Test func `chapters of crossfaded clips do not overlap`() throws {
    let list = scratch.path("chapters.txt")
    let chapters = [(0, 1200), (1200, 1800), (1800, 2000)].map {
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0)\nEND=\($1)\ntitle=from \($0)\n"
    }
    try Data((";FFMETADATA1\n" + chapters.joined()).utf8).write(to: URL(filePath: list))
    let clip = scratch.path("clip.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-i", list]
        + ["-map_chapters", "1", "-c", "copy", clip])
    let asset = Asset(path: clip, registry: Pipeline.registry)
    let sequence = try ClipSequence([asset, asset], crossfade: tenths(5))
    let found = sequence.composition.mediaDescription().chapters
    #expect(
      found.map(\.title) == ["from 0", "from 1200", "from 0", "from 1200", "from 1800"])
    for (chapter, next) in zip(found, found.dropFirst()) { #expect(chapter.end <= next.start) }
    #expect(
      sequence.losses == [
        "clip.mkv: left out: chapters that begin during the crossfade: from 1800"
      ])
  }

  @Test(arguments: ["web-480p", "remux-mp4"])
  func `text and chapters of all clips are kept, and the tags of the first`(preset: String) throws {
    let chapters = scratch.path("chapters.txt")
    try Data(
      """
      ;FFMETADATA1
      title=Harbour
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=1200
      title=Out
      [CHAPTER]
      TIMEBASE=1/1000
      START=1200
      END=2000
      title=Home
      """.utf8
    ).write(to: URL(filePath: chapters))
    let text = scratch.path("text.srt")
    try Data("1\n00:00:00,500 --> 00:00:01,000\nahoy\n\n".utf8).write(to: URL(filePath: text))
    let clip = scratch.path("clip.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-i", text, "-i", chapters]
        + ["-map", "0", "-map", "1", "-map_metadata", "2", "-map_chapters", "2"]
        + ["-c", "copy", "-c:s", "mov_text", clip])
    let asset = Asset(path: clip, registry: Pipeline.registry)
    let sequence = try ClipSequence([asset, asset])
    #expect(sequence.losses.isEmpty, "\(sequence.losses)")
    let session = try ExportSession(
      asset: sequence.composition, preset: try Pipeline.preset(preset),
      registry: Pipeline.registry)
    if preset == "web-480p" { session.videoComposition = sequence.videoComposition }
    let path = scratch.path("joined.mp4")
    #expect(try session.exportAndWait(to: path).isCopy == (preset == "remux-mp4"))
    let media = try Asset(path: path, registry: Pipeline.registry).mediaDescription()
    #expect(media.metadata.contains { $0.name == "title" && $0.value == "Harbour" })
    #expect(media.chapters.map(\.title) == ["Out", "Home", "Out", "Home"])
    #expect(media.sideData[.chapterTrack] != nil)
    let starts = media.chapters.map { Double($0.start) / 1e9 }
    for (start, wanted) in zip(starts, [0, 1.2, 2, 3.2]) {
      #expect(abs(start - wanted) < 0.03, "\(starts)")
    }
    let groups = try Captions.groups(path).filter { !$0.captions.isEmpty }
    #expect(groups.flatMap(\.captions).map(\.text) == ["ahoy", "ahoy"])
    let times = groups.map(\.timeRange.start.seconds)
    #expect(abs(times[0] - 0.5) < 0.03 && abs(times[1] - 2.5) < 0.03, "\(times)")
  }

  @Test func `parts of a clip that are dropped are reported`() throws {
    let clip = scratch.path("two.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-map", "0:v", "-map", "0:a"]
        + ["-map", "0:a", "-c", "copy", clip])
    let asset = Asset(path: clip, registry: Pipeline.registry)
    let sequence = try ClipSequence([asset])
    #expect(sequence.losses.count == 1)
    #expect(sequence.losses.first?.hasPrefix("two.mkv: track 3 (aac) is left out") == true)
  }

  /// Checks that the losses list attached files and tags that the joined file does not have.
  ///
  /// A joined file has the tags of the first clip.
  @Test func `tags and attachments that are dropped are named`() throws {
    let scratch = try Scratch()
    func clip(_ name: String, _ tags: String...) throws -> Asset {
      try PluginWorkshop.run(
        "ffmpeg",
        ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-attach", Pipeline.clip("notes.txt")]
          + ["-metadata:s:t", "mimetype=text/plain"] + tags.flatMap { ["-metadata", $0] }
          + [scratch.path(name)])
      return Asset(path: scratch.path(name), registry: Pipeline.registry)
    }
    let first = try clip("a.mkv", "title=One", "artist=Ann")
    let second = try clip("b.mkv", "title=Two", "artist=Ann", "composer=Cy")
    let losses = try ClipSequence([first, second]).losses
    #expect(
      losses == [
        "a.mkv: left out: an attached file", "b.mkv: left out: an attached file",
        "b.mkv: the output has the tags of the first clip, without these: composer, title",
      ], "\(losses)")
  }
}
