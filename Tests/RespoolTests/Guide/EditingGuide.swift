import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// The editing examples of a guide to AVFoundation, on real clips.
@Suite struct EditingGuide {
  let scratch: Scratch
  let registry = Pipeline.registry
  let pattern = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
  let flash = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
  let portrait = Asset(path: Pipeline.clip("portrait.mov"), registry: Pipeline.registry)
  let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))

  init() throws { scratch = try Scratch() }

  private func time(_ milliseconds: Int64) -> MediaTime {
    MediaTime(value: milliseconds, timescale: 1000)
  }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  private func picture(_ asset: Asset) throws -> AssetTrack {
    try #require(try asset.tracks(withMediaType: .video).first)
  }

  /// Returns the composed frames of an asset in 8-bit 4:2:0.
  private func composed(_ asset: Asset, _ composition: VideoComposition) throws -> [SampleBuffer] {
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try asset.tracks(withMediaType: .video), pixelFormat: .yuv420p)
    output.videoComposition = composition
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return samples
  }

  /// Returns the mean luma of a part of a frame.
  ///
  /// The part is given in fractions of the frame's width and height.
  private func mean(
    _ sample: SampleBuffer?, x: Range<Double> = 0..<1, y: Range<Double> = 0..<1
  ) throws -> Double {
    let picture = try #require(sample?.imageBuffer)
    let (width, height) = (Double(picture.width), Double(picture.height))
    return try picture.withPlane(0) { bytes, stride in
      var (sum, count) = (0, 0)
      for row in Int(y.lowerBound * height)..<Int(y.upperBound * height) {
        for column in Int(x.lowerBound * width)..<Int(x.upperBound * width) {
          sum += Int(bytes[row * stride + column])
          count += 1
        }
      }
      return Double(sum) / Double(max(1, count))
    }
  }

  @Test func `two clips and an audio track become one film`() throws {
    let film = MutableComposition()
    let pictures = try #require(film.addMutableTrack(withMediaType: .video))
    let sound = try #require(film.addMutableTrack(withMediaType: .audio))
    try pictures.insertTimeRange(second, of: try picture(pattern), at: .zero)
    try pictures.insertTimeRange(second, of: try picture(flash), at: time(1000))
    let speech = Asset(path: Pipeline.clip("speech.wav"), registry: registry)
    try sound.insertTimeRange(range(0, 2000), of: try speech.tracks()[0], at: .zero)
    let mix = MutableAudioMixInputParameters(track: sound)
    try mix.setVolumeRamp(fromStartVolume: 1, toEndVolume: 0, timeRange: range(1000, 2000))

    let session = try ExportSession(
      asset: film, presetName: "AVAssetExportPreset640x480", registry: registry, threads: 2)
    session.audioMix = AudioMix(inputParameters: [mix])
    let path = scratch.path("film.mp4")
    _ = try session.exportAndWait(to: path, progress: nil)
    let made = Asset(path: path, registry: registry)
    #expect(abs(try made.duration().seconds - 2) < 0.045)
    let heard = try Pipeline.sound(path)
    func loudness(_ part: Range<Int>) -> Float {
      heard.channels[0][part].reduce(0) { $0 + $1 * $1 } / Float(part.count)
    }
    let end = heard.count
    #expect(loudness(0..<end / 2) > 20 * loudness((end * 15 / 16)..<end))

    // One second of each clip; ffmpeg decodes both the clips and the film.
    let shown = try FFmpegPictures(path, width: 320, height: 180)
    let clips = try ["pattern-h264.mp4", "clap-and-flash.mp4"].map {
      try FFmpegPictures(Pipeline.clip($0), "scale=320:180", width: 320, height: 180)
    }
    try #require(shown.pictures.count == 50)
    for number in 0..<50 {
      let wanted = clips[number / 25].luma(number % 25)
      let distance = shown.luma(number).distance(to: wanted)
      #expect(distance < 5, "picture \(number) is off by \(distance)")
    }
    #expect(clips[0].luma(0).distance(to: clips[1].luma(0)) > 30)
  }

  @Test(.rule) func `the background is seen where there is no layer`() throws {
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: pattern))
    let instruction = MutableVideoCompositionInstruction(timeRange: range(0, 2000))
    instruction.backgroundColor = .white
    composition.instructions = [instruction]
    let samples = try composed(pattern, composition)
    // White in limited range.
    #expect(try mean(samples.first) == 235)
  }

  @Test func `one clip fades into the other`() throws {
    let film = MutableComposition()
    let layers = try [pattern, flash].map { clip in
      let track = try #require(film.addMutableTrack(withMediaType: .video))
      try track.insertTimeRange(second, of: try picture(clip), at: .zero)
      return MutableVideoCompositionLayerInstruction(assetTrack: track)
    }
    try layers[0].setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: second)
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: film))
    composition.instructions = [
      MutableVideoCompositionInstruction(timeRange: second, layerInstructions: layers)
    ]
    let samples = try composed(film, composition)
    try #require(samples.count == 25)
    let clips = try [pattern, flash].map {
      try Pipeline.samples(of: $0, .video, .video(pixelFormat: .yuv420p))
    }
    // The lower clip is smaller and surrounded by black. It flashes at frame 13.
    for number in [0, 6, 11, 13, 14, 20, 24] {
      let opacity = 1 - samples[number].presentationTimeStamp.seconds
      for (plane, black) in [16, 128, 128].enumerated() {
        func codes(_ sample: SampleBuffer) throws -> VideoFixture.Plane {
          try VideoFixture.plane(try #require(sample.imageBuffer), plane)
        }
        let made = try codes(samples[number])
        let (upper, lower) = (try codes(clips[0][number]), try codes(clips[1][number]))
        var worst = 0.0
        for y in 0..<made.height {
          for x in 0..<made.width {
            let behind = x < lower.width && y < lower.height ? lower[x, y] : black
            let wanted = Double(upper[x, y]) * opacity + Double(behind) * (1 - opacity)
            worst = max(worst, abs(Double(made[x, y]) - wanted))
          }
        }
        #expect(worst <= 2, "plane \(plane) of picture \(number)")
      }
    }
    let seen = try clips.map { try mean($0[13], x: 0..<0.5, y: 0..<0.5) }
    #expect(abs(seen[0] - seen[1]) > 30)
  }

  @Test func `a watermark is in its corner`() throws {
    let plain = try VideoComposition(propertiesOf: pattern)
    let marked = MutableVideoComposition(plain)
    marked.overlays = [
      Overlay(
        .image(path: Pipeline.clip("still.png")), position: OverlayPosition(.bottomRight),
        width: .points(32), height: .points(32), opacity: 0.5)
    ]
    let before = try composed(pattern, plain)
    let after = try composed(pattern, marked)
    #expect(before.count == after.count)
    #expect(try mean(before[3], x: 0..<0.5, y: 0..<0.5) == mean(after[3], x: 0..<0.5, y: 0..<0.5))
    // Each quarter of the overlay shows half the original frame and half the image.
    let still = try FFmpegPictures(
      Pipeline.clip("still.png"), "scale=32:32:flags=area", width: 32, height: 32
    ).luma(0)
    let old = try VideoFixture.plane(try #require(before[3].imageBuffer), 0)
    let new = try VideoFixture.plane(try #require(after[3].imageBuffer), 0)
    for (x, y) in [(0, 0), (16, 0), (0, 16), (16, 16)] {
      let (columns, rows) = (x..<x + 16, y..<y + 16)
      let place = (x: 288 + x..<304 + x, y: 148 + y..<164 + y)
      let wanted =
        (old.mean(x: place.x, y: place.y) + still.mean(x: columns, y: rows)) / 2
      let made = new.mean(x: place.x, y: place.y)
      #expect(abs(made - wanted) < 2, "at \(x), \(y): \(made), not \(wanted)")
    }
    for row in 0..<180 {
      for column in 0..<320 where column < 288 || row < 148 {
        if new[column, row] != old[column, row] {
          Issue.record("\(column), \(row) is another")
          return
        }
      }
    }
  }

  @Test func `portrait and landscape are distinguished, and the film has both`() throws {
    let upright = try picture(portrait).preferredTransform.orientation.swapsAxes
    let across = try picture(pattern).preferredTransform.orientation.swapsAxes
    #expect(upright && !across)
    let film = MutableComposition()
    for (asset, start) in [(portrait, time(0)), (pattern, time(500))] {
      let track = try #require(film.addMutableTrack(withMediaType: .video))
      try track.insertTimeRange(range(0, 500), of: try picture(asset), at: start)
    }
    let composition = try VideoComposition(propertiesOf: film)
    // Upright, one clip is 180x320 and the other 320x180.
    #expect(composition.renderSize == VideoDimensions(width: 320, height: 320))
    let samples = try composed(film, composition)
    let seen = [
      try FFmpegPictures(portrait.path ?? "", width: 180, height: 320),
      try FFmpegPictures(pattern.path ?? "", width: 320, height: 180),
    ]
    for sample in samples {
      let number = Int((sample.presentationTimeStamp.seconds * 25).rounded())
      let clip = seen[number < 13 ? 0 : 1]
      let made = try VideoFixture.plane(try #require(sample.imageBuffer), 0)
      // Half a second is 12.5 frames, so the first frame of the second clip is late.
      if number == 12 || number == 13 { continue }
      let wanted = clip.luma(number < 13 ? number : number - 13)
      let distance = made.distance(to: wanted)
      #expect(distance < 1, "picture \(number) is off by \(distance)")
      let rest =
        number < 13 ? made.mean(x: 180..<320, y: 0..<320) : made.mean(x: 0..<320, y: 180..<320)
      #expect(rest == 16, "picture \(number)")
    }
  }

  @Test func `a custom export fits a size and centers`() throws {
    let track = try picture(pattern)
    let size = track.naturalSize
    let target = (width: 320.0, height: 320.0)
    let scale = min(target.width / size.width, target.height / size.height)
    let layer = MutableVideoCompositionLayerInstruction(assetTrack: track)
    let fitted = Transform(scaleX: scale, y: scale).concatenating(
      Transform(
        translationX: ((target.width - size.width * scale) / 2).rounded(),
        y: ((target.height - size.height * scale) / 2).rounded()))
    try layer.setTransform(fitted, at: .zero)
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: pattern))
    composition.renderSize = VideoDimensions(width: 320, height: 320)
    composition.instructions = [
      MutableVideoCompositionInstruction(
        timeRange: TimeRange(start: .zero, duration: try pattern.duration()),
        layerInstructions: [layer])
    ]
    let reader = try AssetReader(asset: pattern)
    let output = AssetReaderVideoCompositionOutput(videoTracks: [track])
    output.videoComposition = composition
    // The tracks have to belong to the reader's asset.
    try #require(reader.canAdd(output))
    try reader.add(output)
    let path = scratch.path("square.mp4")
    let writer = try AssetWriter(path: path, container: "mp4", registry: registry)
    let input = AssetWriterInput(
      mediaType: .video, settings: .video(codec: "h264", width: 320, height: 320))
    try writer.add(input)
    try #require(reader.startReading() && writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    while let sample = output.copyNextSampleBuffer() { try #require(input.append(sample)) }
    #expect(reader.status == .completed)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")

    let made = try Pipeline.pictures(path)
    #expect(made.first?.imageBuffer?.width == 320 && made.first?.imageBuffer?.height == 320)
    let bar = (320 - size.height * scale) / 2 / 320
    #expect(bar > 0.1)
    #expect(abs(try mean(made[2], y: 0..<(bar * 0.8)) - 16) < 2)
    #expect(abs(try mean(made[2], y: (1 - bar * 0.8)..<1) - 16) < 2)
    #expect(try mean(made[2], y: 0.4..<0.6) > 40)
  }
}
