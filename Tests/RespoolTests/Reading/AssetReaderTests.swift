import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct AssetReading {
  let clip = Pipeline.clip("pattern-h264.mp4")

  private func reader(
    _ path: String, _ wanted: [(MediaType, AssetReaderTrackOutput.Settings?)]
  ) throws -> (AssetReader, [AssetReaderTrackOutput]) {
    let asset = Asset(path: path, registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    var outputs: [AssetReaderTrackOutput] = []
    for (type, settings) in wanted {
      let track = try #require(try asset.tracks(withMediaType: type).first)
      let output = AssetReaderTrackOutput(track: track, settings: settings)
      #expect(reader.canAdd(output))
      try reader.add(output)
      outputs.append(output)
    }
    return (reader, outputs)
  }

  @Test(.rule("Frames that are requested as RGB have full range"), arguments: ["rgb24", "bgra"])
  func `RGB has full range, as in FFmpeg`(name: String)
    throws
  {
    let scratch = try Scratch()
    let (flash, raw) = (Pipeline.clip("clap-and-flash.mp4"), scratch.path("out.raw"))
    // Black, and then the white of the flash.
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", flash, "-vf", "select='eq(n,0)+eq(n,13)',setpts=N/25/TB", "-pix_fmt",
        name, "-f", "rawvideo", raw,
      ])
    let wanted = [UInt8](try Data(contentsOf: URL(filePath: raw)))
    let format = try #require(PixelFormat(name: name))
    let samples = try Pipeline.samples(flash, .video, .video(pixelFormat: format))
    let made = try [0, 13].flatMap { number in
      FrameFixture.allBytes(try #require(samples[number].imageBuffer).frame)
    }
    try #require(made.count == wanted.count)
    let sum = zip(made, wanted).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    #expect(Double(sum) / Double(made.count) < 2)
  }

  @Test(.rule) func `without settings stored samples come in decode order`() throws {
    let samples = try Pipeline.samples(clip, .video, nil)
    #expect(samples.count == 50)
    let times = samples.map { sample in
      sample.decodeTimeStamp.isNumeric ? sample.decodeTimeStamp : sample.presentationTimeStamp
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(samples.map(\.presentationTimeStamp).sorted() != samples.map(\.presentationTimeStamp))
    #expect(samples.allSatisfy { ($0.dataBuffer?.count ?? 0) > 0 })
    #expect(samples[0].formatDescription.codec == "h264")
  }

  @Test(.rule)
  func `decoded frames come in presentation order, with the requested format and size`() throws {
    let samples = try Pipeline.samples(
      clip, .video, .video(pixelFormat: .yuv444p, width: 160, height: 90))
    #expect(samples.count == 50)
    #expect(
      samples.map(\.presentationTimeStamp) == (0..<50).map { MediaTime(value: $0, timescale: 25) })
    #expect(samples.allSatisfy { $0.duration == MediaTime(value: 1, timescale: 25) })
    for sample in samples {
      let picture = try #require(sample.imageBuffer)
      #expect((picture.width, picture.height) == (160, 90))
      #expect(picture.pixelFormat == .yuv444p)
    }
  }

  @Test func `audio has the requested format, rate and layout`() throws {
    let samples = try Pipeline.samples(
      clip, .audio, .audio(sampleFormat: .s16, sampleRate: 24000, channelLayout: .stereo))
    let count = samples.reduce(0) { $0 + $1.numSamples }
    #expect(count == 48000)
    for sample in samples {
      let frame = try #require(sample.frame)
      #expect((frame.sampleFormat, frame.sampleRate) == (.s16, 24000))
      #expect(frame.channelLayout == .stereo)
      #expect(sample.dataBuffer != nil)
    }
  }

  @Test func `the encoder's delay is neither heard nor counted`() throws {
    let sound = try Pipeline.sound(clip)
    #expect(sound.start == .zero)
    #expect(sound.count == 96000)
  }

  @Test(arguments: [true, false])
  func `one output may be read to its end before the other`(videoFirst: Bool) throws {
    let (reader, outputs) = try reader(clip, [(.video, .video()), (.audio, .audio())])
    try #require(reader.startReading())
    var counts = [0, 0]
    for index in videoFirst ? [0, 1] : [1, 0] {
      #expect(reader.status == .reading)
      while let sample = outputs[index].copyNextSampleBuffer() {
        counts[index] += sample.numSamples
      }
    }
    #expect(counts == [50, 96000])
    #expect(reader.status == .completed)
    #expect(reader.error == nil)
  }

  @Test func `outputs read alternately give the same as alone`() throws {
    let (reader, outputs) = try reader(clip, [(.video, nil), (.audio, nil)])
    try #require(reader.startReading())
    var times: [[MediaTime]] = [[], []]
    var open = [0, 1]
    while !open.isEmpty {
      for index in open {
        if let sample = outputs[index].copyNextSampleBuffer() {
          times[index].append(sample.presentationTimeStamp)
        } else {
          open.removeAll { $0 == index }
        }
      }
    }
    #expect(times[0] == (try Pipeline.samples(clip, .video, nil)).map(\.presentationTimeStamp))
    #expect(times[1] == (try Pipeline.samples(clip, .audio, nil)).map(\.presentationTimeStamp))
  }

  @Test(.rule("Outputs are added before reading starts"))
  func `an output of another asset, of a track with one, or after the start is rejected`()
    throws
  {
    let (reader, outputs) = try reader(clip, [(.video, nil)])
    let other = Asset(path: clip, registry: Pipeline.registry)
    let foreign = AssetReaderTrackOutput(track: try other.tracks()[0], settings: nil)
    #expect(!reader.canAdd(foreign))
    #expect(throws: MediaError.self) { try reader.add(foreign) }
    #expect(!reader.canAdd(outputs[0]))
    let twice = AssetReaderTrackOutput(track: outputs[0].track, settings: nil)
    #expect(!reader.canAdd(twice))
    try #require(reader.startReading())
    let late = AssetReaderTrackOutput(track: try reader.asset.tracks()[1], settings: nil)
    #expect(!reader.canAdd(late))
    #expect(!reader.startReading())
    #expect(reader.status == .reading)
  }

  @Test func `settings of the wrong kind fail with a reason`() throws {
    let (reader, outputs) = try reader(clip, [(.video, .audio())])
    #expect(!reader.startReading())
    #expect(reader.status == .failed)
    #expect(reader.error?.code == .invalidArgument)
    #expect(outputs[0].copyNextSampleBuffer() == nil)
  }

  @Test func `a file that is not media cannot be opened`() {
    let asset = Asset(path: Pipeline.clip("notes.txt"), registry: Pipeline.registry)
    #expect(throws: MediaError.self) { try AssetReader(asset: asset) }
    #expect(throws: MediaError.self) { try asset.tracks() }
    let gone = Asset(path: Pipeline.clip("nowhere.mp4"), registry: Pipeline.registry)
    #expect(throws: MediaError.self) { try gone.duration() }
  }

  @Test(.rule("A nil sample with the status failed is a failure"))
  func `a file that is truncated during reading fails with a reason`() throws {
    let scratch = try Scratch()
    let path = scratch.path("cut.wav")
    // One second of audio, repeated until the file is larger than the read-ahead.
    let second = [UInt8](repeating: 7, count: 96_000)
    var wave = Data("RIFF".utf8) + Data([0xF0, 0xFF, 0xFF, 0x7F]) + Data("WAVEfmt ".utf8)
    wave += Data([16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0])
    wave += Data("data".utf8) + Data([0, 0x6C, 0xDC, 2])
    for _ in 0..<500 { wave += second }
    try wave.write(to: URL(filePath: path))
    let (reader, outputs) = try reader(path, [(.audio, nil)])
    try #require(reader.startReading())
    #expect(outputs[0].copyNextSampleBuffer() != nil)
    try #require(truncate(path, 2000) == 0)
    while outputs[0].copyNextSampleBuffer() != nil {}
    #expect(reader.status == .failed)
    #expect(reader.error?.code == .io)
    #expect(reader.error?.file == path)
  }

  @Test(.rule("Copied sample data belongs to the client and may be changed"))
  func `copied frames may be written to`() throws {
    // Each frame is predicted from the one 15 frames before it. The frames are so large that fewer than 15 are
    // decoded ahead. If the memory belonged to the decoder, the zeros written to it would show in later frames.
    let scratch = try Scratch()
    let path = scratch.path("large.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=gray:s=1920x1080:r=25:d=0.6,noise=alls=100:allf=t,loop=loop=2:size=15:start=0",
        "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-qp", "40",
        "-x264-params", "ref=16:bframes=0:scenecut=0:keyint=250", path,
      ])
    func pictures(_ scribble: Bool) throws -> [UInt64] {
      let (reader, outputs) = try reader(path, [(.video, .video())])
      #expect(outputs[0].alwaysCopiesSampleData)
      outputs[0].alwaysCopiesSampleData = scribble
      try #require(reader.startReading())
      var sums: [UInt64] = []
      while let picture = outputs[0].copyNextSampleBuffer()?.imageBuffer {
        sums.append(
          try picture.withPlane(0) { bytes, _ in
            bytes.reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) }
          })
        if scribble {
          try picture.withPlane(0) { bytes, _ in
            _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
          }
        }
      }
      return sums
    }
    let untouched = try pictures(false)
    #expect(untouched.count == 45)
    #expect(try pictures(true) == untouched)
  }

  @Test func `canceling from another thread ends reading`() throws {
    let (reader, outputs) = try reader(clip, [(.video, .video())])
    try #require(reader.startReading())
    #expect(outputs[0].copyNextSampleBuffer() != nil)
    let thread = try PlainThread(name: "cancel") { reader.cancelReading() }
    thread.join()
    #expect(reader.status == .cancelled)
    #expect(outputs[0].copyNextSampleBuffer() == nil)
    #expect(reader.error == nil)
    #expect(!reader.startReading())
  }

  @Test(.rule) func `a time range cuts audio to the sample`() throws {
    let whole = try Pipeline.sound(Pipeline.clip("speech.wav"))
    let (reader, outputs) = try reader(
      Pipeline.clip("speech.wav"), [(.audio, .audio(sampleFormat: .fltp))])
    reader.timeRange = TimeRange(
      start: MediaTime(value: 22051, timescale: 22050), duration: MediaTime(value: 1, timescale: 2))
    try #require(reader.startReading())
    reader.timeRange = .zero
    var samples: [SampleBuffer] = []
    while let sample = outputs[0].copyNextSampleBuffer() { samples.append(sample) }
    #expect(reader.status == .completed)
    let part = try Sound(samples)
    #expect(part.start == MediaTime(value: 22051, timescale: 22050))
    #expect(part.channels[0] == Array(whole.channels[0][22051..<22051 + 11025]))
  }

  @Test func `a time range of video has the frames seen in it`() throws {
    let whole = try Pipeline.pictures(clip)
    let (reader, outputs) = try reader(
      clip, [(.video, .video(pixelFormat: .yuv420p)), (.audio, .audio())])
    let range = TimeRange(
      start: MediaTime(value: 101, timescale: 100), duration: MediaTime(value: 1, timescale: 2))
    reader.timeRange = range
    try #require(reader.startReading())
    var pictures: [SampleBuffer] = []
    var samples: [SampleBuffer] = []
    while let sample = outputs[0].copyNextSampleBuffer() { pictures.append(sample) }
    while let sample = outputs[1].copyNextSampleBuffer() { samples.append(sample) }
    #expect(reader.status == .completed)
    #expect(pictures.count == 13)
    #expect(pictures.first?.presentationTimeStamp == range.start)
    #expect(pictures.last.map { $0.presentationTimeStamp + $0.duration } == range.end)
    for (part, full) in zip(pictures, whole[25...]) {
      #expect(try part.brightness(x: 0..<0.5) == full.brightness(x: 0..<0.5))
    }
    #expect(samples.first?.presentationTimeStamp == range.start)
    #expect(samples.reduce(0) { $0 + $1.numSamples } == 24000)
  }

  @Test(.rule) func `stored samples of a time range begin with a sync sample`() throws {
    let (reader, outputs) = try reader(clip, [(.video, nil)])
    reader.timeRange = TimeRange(
      start: MediaTime(value: 1, timescale: 1), duration: MediaTime(value: 1, timescale: 2))
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = outputs[0].copyNextSampleBuffer() { samples.append(sample) }
    #expect(samples.first?.packet?.flags.contains(.key) == true)
    let last = try #require(samples.map(\.presentationTimeStamp).max())
    #expect(last >= MediaTime(value: 3, timescale: 2) - MediaTime(value: 1, timescale: 25))
    #expect(samples.count < 50)
    #expect(reader.status == .completed)
  }
}
