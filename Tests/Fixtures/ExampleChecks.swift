// Functions for the checks of examples on documentation pages. PageExamples compiles this file with them.
import Foundation
import Respool
import Synchronization

/// Returns the number of stored samples of a file's first track of a type.
func sampleCount(_ path: String, _ type: MediaType = .video) async throws -> Int {
  let asset = Asset(path: path)
  let reader = try AssetReader(asset: asset)
  let provider = try reader.outputProvider(
    for: AssetReaderTrackOutput(track: try asset.tracks(withMediaType: type)[0], settings: nil))
  try reader.start()
  var count = 0
  while let sample = try await provider.next() { count += sample.numSamples }
  return count
}

/// Returns `true` if the duration of a file differs by less than 50 ms.
func lasts(_ path: String, _ seconds: Double) throws -> Bool {
  abs(try Asset(path: path).duration().seconds - seconds) < 0.05
}

func names(in folder: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

/// Returns the captions of a file.
func captions(_ path: String) async throws -> [Caption] {
  let asset = Asset(path: path)
  let reader = try AssetReader(asset: asset)
  let provider = try reader.outputCaptionProvider(
    for: AssetReaderTrackOutput(
      track: try asset.tracks(withMediaType: .subtitle)[0], settings: nil))
  try reader.start()
  var captions: [Caption] = []
  while let group = try await provider.next() {
    captions += provider.captionsNotPresentInPreviousGroups(in: group)
  }
  return captions
}

func isItalic(_ word: String, in caption: Caption) -> Bool {
  guard let range = caption.text.firstRange(of: word) else { return false }
  return caption.fontStyle(at: range.lowerBound) == (.italic, range)
}

/// Returns the values of a file's timed metadata.
func storedPlaces(_ path: String) async throws -> [String?] {
  let asset = Asset(path: path)
  let reader = try AssetReader(asset: asset)
  let provider = try reader.outputMetadataProvider(
    for: AssetReaderTrackOutput(
      track: try asset.tracks(withMediaType: .metadata)[0], settings: nil))
  try reader.start()
  var places: [String?] = []
  while let group = try await provider.next() { places.append(group.items.first?.stringValue) }
  return places
}

/// Ends the session of a writer after one second and finishes the file.
///
/// Returns `true` if the file is complete.
func finish(_ writer: AssetWriter) async -> Bool {
  writer.endSession(atSourceTime: MediaTime(value: 1, timescale: 1))
  await writer.finishWriting()
  return writer.status == .completed
}

/// Writes eight seconds of a tone from 10 s on.
func writeTone(_ writer: AssetWriter) async throws {
  let input = AssetWriterInput(
    mediaType: .audio, settings: .audio(codec: "aac", sampleRate: 48000, channelLayout: .mono))
  let receiver = try writer.inputReceiver(for: input)
  try writer.start()
  writer.startSession(atSourceTime: MediaTime(value: 10, timescale: 1))
  for number in 0..<200 {
    let tone = (0..<1920).map { Float(0.5 * sin(Double($0) * .pi / 24)) }
    let time = MediaTime(value: Int64(480_000 + number * 1920), timescale: 48000)
    if let block = SampleBuffer(
      interleaved: tone, channelLayout: .mono, sampleRate: 48000, at: time)
    {
      try await receiver.append(block)
    }
  }
  receiver.finish()
  await writer.finishWriting()
}

/// The luma plane of a frame of 320x180 pixels.
struct Luma {
  var values: [Double]
  subscript(x: Int, y: Int) -> Double { values[y * 320 + x] }

  func mean(x: Range<Int>, y: Range<Int>) -> Double {
    y.reduce(0) { sum, y in x.reduce(sum) { $0 + self[$1, y] } } / Double(x.count * y.count)
  }
  /// Returns the mean difference of the values.
  func distance(to other: Luma) -> Double {
    zip(values, other.values).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(values.count)
  }
}

/// Returns the luma planes of an asset's composed frames.
///
/// The default composition of the asset is used if `composition` is `nil`.
func composed(_ asset: Asset, _ composition: VideoComposition? = nil) throws -> [Luma] {
  let reader = try AssetReader(asset: asset)
  let output = AssetReaderVideoCompositionOutput(
    videoTracks: try asset.tracks(withMediaType: .video), pixelFormat: .yuv420p)
  output.videoComposition = try composition ?? VideoComposition(propertiesOf: asset)
  try reader.add(output)
  try reader.start()
  var frames: [Luma] = []
  while let frame = output.copyNextSampleBuffer()?.imageBuffer {
    frames.append(
      try frame.withPlane(0) { bytes, row in
        Luma(
          values: (0..<frame.height).flatMap { y in
            (0..<frame.width).map { Double(bytes[y * row + $0]) }
          })
      })
  }
  if let error = reader.error { throw error }
  return frames
}

/// Returns `true` if frames show an inset in the middle of the first one and a watermark at the top right.
func showsInset(_ frames: [Luma], over plain: [Luma]) -> Bool {
  let (made, below) = (frames[0], plain[0])
  return frames.count == 25 && made[0, 150] == below[0, 150] && made[319, 150] == below[319, 150]
    && made.mean(x: 0..<160, y: 0..<90) != below.mean(x: 0..<160, y: 0..<90)
    && made.mean(x: 290..<320, y: 0..<10) != below.mean(x: 290..<320, y: 0..<10)
}

/// Returns `true` if frames in limited range are the negatives of others.
func areNegatives(_ frames: [Luma], of plain: [Luma]) -> Bool {
  let inverted = Luma(values: plain[7].values.map { 251 - $0 })
  return frames.count == 50 && plain.count == 50 && frames[7].distance(to: inverted) < 2
    && plain[7].distance(to: inverted) > 20
}

/// Returns the values of timed metadata that a compositor gets.
func composedPlaces(_ asset: Asset, _ composition: MutableVideoComposition) throws -> Set<String> {
  final class Recorder: VideoCompositing {
    let places = Mutex<Set<String>>([])
    func startRequest(_ request: AsynchronousVideoCompositionRequest) {
      for id in request.sourceSampleDataTrackIDs {
        let place = request.sourceTimedMetadata(byTrackID: id)?.items.first?.stringValue
        places.withLock { _ = $0.insert(place ?? "none") }
      }
      guard let frame = request.renderContext.newPixelBuffer() else { return }
      request.finish(withComposedVideoFrame: frame)
    }
  }
  let recorder = Recorder()
  composition.customVideoCompositor = { recorder }
  let count = try composed(asset, composition).count
  return recorder.places.withLock { count == 25 ? $0 : [] }
}
