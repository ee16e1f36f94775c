import Foundation
import Testing

/// Loudness of outputs, compared with the measurement of Debian's ffmpeg.
@Suite struct LoudnessTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws -> String {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-nostdin", "-hide_banner", "-y"] + arguments,
      environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
    return result.errors
  }

  /// Integrated loudness in LUFS and true peak in dBTP of a file.
  private func measured(_ path: String, track: Int = 0) throws -> (loudness: Double, peak: Double) {
    let text = try ffmpeg([
      "-i", path, "-map", "0:a:\(track)", "-af", "ebur128=peak=true", "-f", "null", "-",
    ])
    func last(_ name: String) -> Double? {
      text.split(separator: "\n").last { $0.contains(name) }?
        .split(separator: " ").compactMap { Double($0) }.last
    }
    return (try #require(last("I:")), try #require(last("Peak:")))
  }

  private func preset(_ name: String, _ text: String) throws -> String {
    try folder.write("name: \(name)\n" + text, as: name + ".yaml")
    return folder(name + ".yaml")
  }

  /// Writes bursts of noise in quiet noise, so that peaks are far above the loudness.
  private func writeBursts(_ name: String, layout: String = "stereo") throws {
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "anoisesrc=d=6:c=pink:a=0.9:seed=7:r=44100", "-af",
      "volume='if(lt(mod(t,1),0.03),1,0.02)':eval=frame,aformat=channel_layouts=\(layout)",
      "-c:a", "pcm_s24le", folder(name),
    ])
  }

  @Test(arguments: [-16.0, -23, -30])
  func `audio gets the loudness of the preset, and no peak is too high`(_ target: Double) throws {
    try writeBursts("bursts.wav")
    let path = try preset(
      "level", "container: wav\nvideo: none\naudio: {codec: pcm, loudness: \(target)}\n")
    let result = try Respool.run(
      "convert", folder("bursts.wav"), folder("out.wav"), "--preset", path)
    #expect(result.status == 0, "\(result.errors)")
    let (loudness, peak) = try measured(folder("out.wav"))
    #expect(abs(loudness - target) <= 0.2, "\(result.errors)")
    #expect(peak <= -0.9, "\(result.errors)")
    #expect(result.errors.contains("is \(Int(target))"), "\(result.errors)")
    #expect(result.errors.contains("and a limit of -1 dBTP") == (target > -20))
  }

  @Test func `the loudness is that of the audio after it was mixed down`() throws {
    try writeBursts("surround.wav", layout: "5.1")
    let path = try preset(
      "stereo",
      "container: wav\nvideo: none\naudio: {codec: pcm, channels: 2, loudness: -26, truePeak: -6}\n"
    )
    let result = try Respool.run(
      "convert", folder("surround.wav"), folder("out.wav"), "--preset", path)
    #expect(result.status == 0, "\(result.errors)")
    let (loudness, peak) = try measured(folder("out.wav"))
    #expect(abs(loudness + 26) <= 0.2 && peak <= -5.9, "\(loudness) \(peak)")
  }

  @Test func `all audio tracks of a film are measured, and the video is not changed by that`()
    throws
  {
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=d=3:s=160x120", "-f", "lavfi", "-i", "sine=d=3:f=500", "-f",
      "lavfi", "-i", "sine=d=3:f=900", "-map", "0", "-map", "1", "-map", "2", "-c:v", "ffv1",
      "-c:a", "flac", "-af:a:1", "volume=-20dB", folder("film.mkv"),
    ])
    let path = try preset(
      "film",
      "container: mkv\ntracks: all\nvideo: {codec: ffv1, passthrough: any}\n"
        + "audio: {codec: flac, loudness: -23}\n")
    let result = try Respool.run(
      "convert", folder("film.mkv"), folder("out.mkv"), "--preset", path)
    #expect(result.status == 0, "\(result.errors)")
    for track in 0...1 {
      let loudness = try measured(folder("out.mkv"), track: track).loudness
      #expect(abs(loudness + 23) <= 0.2)
    }
    func hash(_ name: String) throws -> String {
      let result = try Running(
        ["/usr/bin/ffmpeg", "-v", "error", "-i", folder(name), "-map", "0:v", "-f", "md5", "-"],
        environment: ["PATH=/usr/bin:/bin"], folder: nil
      ).wait()
      return result.output
    }
    #expect(try hash("film.mkv") == hash("out.mkv"))
  }

  @Test func `a podcast has its loudness as a file`() throws {
    try folder.add("speech.wav", as: "speech.wav")
    let result = try Respool.run(
      "convert", folder("speech.wav"), folder("speech.mp3"), "--preset", "podcast")
    #expect(result.status == 0, "\(result.errors)")
    // LAME would lower it by 0.45 dB.
    #expect(abs(try measured(folder("speech.mp3")).loudness + 16) <= 0.2)
  }

  @Test func `tags state the loudness of a copied track`() throws {
    try writeBursts("bursts.wav")
    let (loudness, peak) = try measured(folder("bursts.wav"))
    _ = try ffmpeg([
      "-i", folder("bursts.wav"), "-metadata", "REPLAYGAIN_TRACK_GAIN=+99.00 dB", "-metadata",
      "ALBUM=Noise", folder("bursts.flac"),
    ])
    let path = try preset("tagged", "extends: flac\naudio: {loudness: tags}\n")
    let result = try Respool.run(
      "convert", folder("bursts.flac"), folder("out.flac"), "--preset", path)
    #expect(result.status == 0 && result.errors.contains("new ones were measured"))
    let text = try ffmpeg(["-i", folder("out.flac"), "-c", "copy", "-f", "ffmetadata", "-"])
    let (gain, top) = try (
      number(after: "REPLAYGAIN_TRACK_GAIN", text), number(after: "REPLAYGAIN_TRACK_PEAK", text)
    )
    #expect(abs(gain - (-18 - loudness)) <= 0.11, "\(text)")
    #expect(abs(20 * log10(top) - peak) <= 0.2, "\(text)")
    #expect(text.contains("ALBUM") && !text.contains("99.00"))
    let opus = try preset("opus", "extends: opus-128k\naudio: {loudness: tags}\n")
    let other = try Respool.run(
      "convert", folder("bursts.flac"), folder("out.opus"), "--preset", opus)
    #expect(other.status == 0, "\(other.errors)")
    let tags = try ffmpeg(["-i", folder("out.opus"), "-c", "copy", "-f", "ffmetadata", "-"])
    #expect(abs(try number(after: "R128_TRACK_GAIN", tags) / 256 - (-23 - loudness)) <= 0.2)
    #expect(!tags.contains("REPLAYGAIN"))
  }

  private func number(after name: String, _ text: String) throws -> Double {
    let line = try #require(text.split(separator: "\n").first { $0.contains(name) }, "\(text)")
    return try #require(line.split { " :=".contains($0) }.compactMap { Double($0) }.first)
  }

  @Test func `silence stays silent, and tags about another loudness are dropped`() throws {
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "anullsrc=d=1", "-metadata", "REPLAYGAIN_TRACK_GAIN=+9.00 dB",
      folder("silence.flac"),
    ])
    let path = try preset("level", "extends: flac\naudio: {loudness: -16}\n")
    let result = try Respool.run(
      "convert", folder("silence.flac"), folder("out.flac"), "--preset", path)
    #expect(result.status == 0 && result.errors.contains("no part of it is louder than -70 LUFS"))
    let text = try ffmpeg(["-i", folder("out.flac"), "-c", "copy", "-f", "ffmetadata", "-"])
    #expect(!text.contains("REPLAYGAIN"))
  }

  @Test func `a loudness that cannot be reached raises no noise`() throws {
    // A click every two seconds above a floor of -86 dB: its peaks cannot be 60 dB above a limit.
    _ = try ffmpeg([
      "-f", "lavfi", "-i",
      "aevalsrc='if(lt(mod(t,2),0.0005),0.9,0.00005*sin(2000*t))':s=48000", "-t", "12", "-c:a",
      "pcm_s24le", folder("clicks.wav"),
    ])
    let path = try preset("level", "extends: wav\naudio: {loudness: -16}\n")
    let result = try Respool.run(
      "convert", folder("clicks.wav"), folder("out.wav"), "--preset", path)
    #expect(result.status == 0 && result.errors.contains("cannot be reached"), "\(result.errors)")
    let words = result.errors.split(separator: " ")
    let place = try #require(words.firstIndex(of: "gain"))
    let gain = try #require(Double(words[place + 2]))
    #expect(gain <= 41, "\(result.errors)")
  }

  @Test func `samples out of range are not taken for silence`() throws {
    var samples = [Float](repeating: 0.1, count: 48_000)
    for index in stride(from: 0, to: samples.count, by: 100) { samples[index] = 1e30 }
    let raw = samples.withUnsafeBytes { Data($0) }
    try raw.write(to: URL(fileURLWithPath: folder("huge.f32")))
    _ = try ffmpeg([
      "-f", "f32le", "-ar", "48000", "-ac", "1", "-i", folder("huge.f32"), "-c:a", "pcm_f32le",
      folder("huge.wav"),
    ])
    let path = try preset("level", "extends: wav\naudio: {loudness: -16}\n")
    let result = try Respool.run("convert", folder("huge.wav"), folder("out.wav"), "--preset", path)
    #expect(result.errors.contains("far out of range"), "\(result.errors)")
  }

  @Test func `tags have the loudness of the first track, and name the others`() throws {
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "sine=440:d=2", "-filter_complex",
      "[0]asplit[a][b];[b]volume=-9dB[c]", "-map", "[a]", "-map", "[c]", "-c:a", "flac",
      folder("two.mka"),
    ])
    let path = try preset(
      "tags", "container: mka\nvideo: none\ntracks: all\naudio: {codec: flac, loudness: tags}\n")
    let result = try Respool.run("convert", folder("two.mka"), folder("out.mka"), "--preset", path)
    #expect(result.status == 0)
    #expect(result.errors.contains("lost: the loudness of track 2"), "\(result.errors)")
  }

  @Test func `a wrong loudness is named with its place`() throws {
    for (text, words) in [
      ("loudness: -2", "loudness is \"-2\""), ("loudness: loud", "such as -16, or tags"),
      ("truePeak: -1", "truePeak needs a loudness"),
      ("loudness: -16\n  passthrough: only", "a change of loudness needs encoding"),
    ] {
      let path = try preset(
        "wrong", "container: wav\nvideo: none\naudio:\n  codec: pcm\n  \(text)\n")
      let result = try Respool.run("presets", "validate", path)
      #expect(result.status != 0 && (result.output + result.errors).contains(words), "\(result)")
    }
  }
}
