import Dispatch
import TestFixtures
import ReadingFixtures
import Foundation
import RespoolMedia
import Testing

@testable import Respool

/// The examples of a guide to reading and writing, each as a test.
@Suite struct WritingGuide {
  let scratch: Scratch
  let clip = Pipeline.clip("pattern-h264.mp4")

  init() throws { scratch = try Scratch() }

  /// Returns a started reader with an output for each requested media type, and the outputs.
  private func read(
    _ path: String, _ wanted: [(MediaType, AssetReaderTrackOutput.Settings?)]
  ) throws -> (AssetReader, [AssetReaderTrackOutput]) {
    let asset = Asset(path: path, registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let outputs = try wanted.map { type, settings in
      let track = try #require(try asset.tracks(withMediaType: type).first)
      let output = AssetReaderTrackOutput(track: track, settings: settings)
      try reader.add(output)
      return output
    }
    try #require(reader.startReading())
    return (reader, outputs)
  }

  @Test func `a track is encoded as AAC with 128 kbit per second and the other passes through`()
    throws
  {
    let (reader, outputs) = try read(
      clip, [(.video, nil), (.audio, .audio(sampleFormat: .fltp, channelLayout: .stereo))])
    let writer = try Writing.writer(scratch)
    let video = AssetWriterInput(
      mediaType: .video, settings: nil,
      sourceFormatHint: outputs[0].track.formatDescription)
    let audio = AssetWriterInput(
      mediaType: .audio,
      settings: .audio(
        codec: "aac", sampleRate: 48000, channelLayout: .stereo, bitRate: 128_000))
    try Writing.start(writer, [video, audio])
    for (output, input) in zip(outputs, [video, audio]) {
      while let sample = output.copyNextSampleBuffer() { try #require(input.append(sample)) }
      input.markAsFinished()
    }
    writer.finishWritingAndWait()
    #expect(reader.status == .completed)
    try #require(writer.status == .completed, "\(String(describing: writer.error))")

    let before = try Pipeline.samples(clip, .video, nil)
    let after = try Pipeline.samples(writer.path, .video, nil)
    #expect(
      after.map { $0.dataBuffer.map { Array($0.readOnly) } }
        == before.map { $0.dataBuffer.map { Array($0.readOnly) } })
    #expect(after.map(\.presentationTimeStamp) == before.map(\.presentationTimeStamp))
    let sound = try Writing.track(writer.path, .audio)
    #expect((sound.codec, sound.channelLayout) == ("aac", .stereo))
    #expect((100_000...156_000).contains(sound.bitRate))
    #expect(try Pipeline.sound(writer.path).count == Pipeline.sound(clip).count)
  }

  @Test func `a portrait movie stays upright`() throws {
    let source = Pipeline.clip("portrait.mov")
    let (reader, outputs) = try read(source, [(.video, .video(pixelFormat: .yuv420p))])
    let track = outputs[0].track
    #expect(!track.preferredTransform.orientation.isUpright)
    let writer = try Writing.writer(scratch)
    let input = AssetWriterInput(
      mediaType: .video,
      settings: .video(
        codec: "h264", width: track.formatDescription.dimensions.width,
        height: track.formatDescription.dimensions.height))
    input.transform = track.preferredTransform
    try Writing.start(writer, [input])
    while let sample = outputs[0].copyNextSampleBuffer() { try #require(input.append(sample)) }
    #expect(reader.status == .completed)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let written = try Writing.track(writer.path, .video)
    #expect(written.displayMatrix.orientation == track.preferredTransform.orientation)
    // ffmpeg rotates both files by their matrices; with `-noautorotate` it does not rotate.
    let shown = try [writer.path, source].map { try FFmpegPictures($0, width: 180, height: 320) }
    let lying = try FFmpegPictures(
      writer.path, "scale=180:320", width: 180, height: 320, input: ["-noautorotate"])
    try #require(shown[0].pictures.count == shown[1].pictures.count)
    for number in [0, 20, 49] {
      let wanted = shown[1].luma(number)
      #expect(shown[0].luma(number).distance(to: wanted) < 5)
      #expect(lying.luma(number).distance(to: wanted) > 15)
    }
  }

  @Test func `tags of a file are written and read back`() throws {
    let writer = try Writing.writer(scratch)
    writer.metadata = [
      MetadataItem(.commonKeyTitle, "Ein Bild"), MetadataItem(.commonKeyArtist, "Niemand"),
      MetadataItem(.commonKeyLocation, "+48.1371+011.5754/"),
    ]
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    try #require(input.append(Writing.picture(0)))
    writer.metadata = []
    writer.finishWritingAndWait()
    let read = try Asset(path: writer.path, registry: Pipeline.registry).tags()
    for entry in [
      MetadataEntry("title", "Ein Bild"), MetadataEntry("artist", "Niemand"),
      MetadataEntry("location", "+48.1371+011.5754/"),
    ] {
      #expect(read.contains(entry))
    }
  }

  @Test func `frames are drawn into buffers of the adaptor's pool`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    let adaptor = AssetWriterInputPixelBufferAdaptor(
      assetWriterInput: input,
      sourcePixelBufferAttributes: PixelBufferAttributes(pixelFormat: .gray, width: 96, height: 64))
    try Writing.start(writer, [input])
    let pool = try #require(adaptor.pixelBufferPool)
    for number in 0..<25 {
      let picture = try pool.makePixelBuffer()
      try picture.withMutablePlane(0) { bytes, _ in
        for index in bytes.indices { bytes[index] = UInt8(number * 10) }
      }
      var attachments = picture.attachments
      attachments.color.range = .full
      picture.attachments = attachments
      try #require(adaptor.append(picture, withPresentationTime: Writing.time(number)))
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    // The encoder keeps some frames for its lookahead; the pool reuses each one afterwards.
    #expect(pool.bufferCount <= 25)
    let pictures = try Pipeline.pictures(writer.path)
    #expect(pictures.map(\.presentationTimeStamp) == (0..<25).map { Writing.time($0) })
    let levels = try pictures.map { try $0.brightness() }
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `clean aperture and pixel aspect ratio are copied from file to file`() throws {
    let aperture = CleanAperture(width: 88, height: 60, horizontalOffset: 2, verticalOffset: -1)
    let first = try Writing.writer(scratch, "first.mov", "mov")
    let input = Writing.videoInput(aperture: aperture, aspect: Rational(12, 11))
    try Writing.start(first, [input])
    for number in 0..<5 { try #require(input.append(Writing.picture(number))) }
    first.finishWritingAndWait()
    for isEncoded in [true, false] {
      let (reader, outputs) = try read(
        first.path, [(.video, isEncoded ? .video(pixelFormat: .yuv420p) : nil)])
      let format = outputs[0].track.formatDescription
      #expect(format.extensions.cleanAperture == aperture)
      #expect(format.extensions.pixelAspectRatio == Rational(12, 11))
      #expect(format.presentationDimensions() == (96, 60))
      let second = try Writing.writer(scratch, "second-\(isEncoded).mp4")
      let copy =
        isEncoded
        ? Writing.videoInput()
        : AssetWriterInput(mediaType: .video, settings: nil, sourceFormatHint: format)
      try Writing.start(second, [copy])
      while let sample = outputs[0].copyNextSampleBuffer() { try #require(copy.append(sample)) }
      #expect(reader.status == .completed)
      second.finishWritingAndWait()
      try #require(second.status == .completed, "\(String(describing: second.error))")
      let track = try Writing.track(second.path, .video)
      #expect(track.cleanAperture == aperture)
      #expect(track.sampleAspect == Rational(12, 11))
      let told = try Writing.probe(
        second.path, ["-show_entries", "stream=sample_aspect_ratio", "-select_streams", "v"])
      #expect(told.hasPrefix("12:11"))
    }
  }

  @Test func `frames of a live source are filtered and written in real time`() throws {
    let (reader, outputs) = try read(clip, [(.video, .video(pixelFormat: .yuv420p))])
    let size = outputs[0].track.formatDescription.dimensions
    let writer = try Writing.writer(scratch)
    let input = AssetWriterInput(
      mediaType: .video,
      settings: .video(codec: "h264", width: size.width, height: size.height, encoder: "x264"))
    input.expectsMediaDataInRealTime = true
    let adaptor = AssetWriterInputPixelBufferAdaptor(
      assetWriterInput: input,
      sourcePixelBufferAttributes: PixelBufferAttributes(
        pixelFormat: .yuv420p, width: size.width, height: size.height))
    try writer.add(input)
    try #require(writer.startWriting())
    var hasSession = false
    var dropped = 0
    var written: [MediaTime] = []
    while let sample = outputs[0].copyNextSampleBuffer() {
      let time = sample.presentationTimeStamp
      // The session starts at the first sample.
      if !hasSession { writer.startSession(atSourceTime: time) }
      hasSession = true
      guard input.isReadyForMoreMediaData else {
        dropped += 1
        continue
      }
      let source = try #require(sample.imageBuffer)
      let picture = try #require(try adaptor.pixelBufferPool?.makePixelBuffer())
      // Inverts the luma plane.
      for plane in 0..<3 {
        try source.withPlane(plane) { from, fromRow in
          try picture.withMutablePlane(plane) { to, toRow in
            for row in 0..<source.height(ofPlane: plane) {
              for column in 0..<source.width(ofPlane: plane) {
                let value = from[row * fromRow + column]
                to[row * toRow + column] = plane == 0 ? 255 - value : value
              }
            }
          }
        }
      }
      source.propagateAttachments(to: picture)
      try #require(adaptor.append(picture, withPresentationTime: time))
      written.append(time)
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(reader.status == .completed)
    // The file is read faster than a camera delivers frames, so the input is not ready for some.
    #expect(written.count > 30 || dropped == 0)
    let pictures = try Pipeline.pictures(writer.path)
    #expect(pictures.map(\.presentationTimeStamp) == written)
    let before = try #require(try Pipeline.pictures(clip).first).brightness()
    #expect(abs(try #require(pictures.first).brightness() - (255 - before)) < 6)
  }
}
