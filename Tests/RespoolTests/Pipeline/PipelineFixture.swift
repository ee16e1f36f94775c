import Foundation
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// The built plugins, the clips of `Tests/Media`, and functions that export and read files.
enum Pipeline {
  /// The plugins built with the tests, and no others.
  static let registry = PluginRegistry(
    searchPath: PluginSearchPath(
      folders: [.init(Installation.folder ?? ".", isShared: true)]))

  static func clip(_ name: String) -> String {
    PluginWorkshop.package.appending(path: "Tests/Media/\(name)").path
  }

  static func preset(_ name: String) throws -> Preset {
    let folder = PluginWorkshop.package.appending(path: "presets").path
    return try PresetLibrary(folders: [.init(path: folder, origin: .installed)]).preset(name)
  }

  @discardableResult
  static func export(
    _ input: String, _ presetName: String, to output: String, threads: Int = 2,
    progress: (@Sendable (Double) -> Void)? = nil
  ) throws -> ExportReport {
    let session = try ExportSession(
      input: input, preset: try preset(presetName), registry: registry, threads: threads)
    return try session.exportAndWait(to: output, progress: progress)
  }

  /// Returns all samples of a file's first track of a media type.
  ///
  /// They are not decoded if `settings` is `nil`.
  static func samples(
    _ path: String, _ type: MediaType, _ settings: AssetReaderTrackOutput.Settings?
  )
    throws -> [SampleBuffer]
  {
    try samples(of: Asset(path: path, registry: registry), type, settings)
  }

  /// Returns all samples of an asset's first track of a media type.
  ///
  /// They are not decoded if `settings` is `nil`.
  static func samples(
    of asset: Asset, _ type: MediaType, _ settings: AssetReaderTrackOutput.Settings?
  )
    throws -> [SampleBuffer]
  {
    let track = try #require(try asset.tracks(withMediaType: type).first, "no \(type)")
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderTrackOutput(track: track, settings: settings)
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return samples
  }

  static func pictures(_ path: String) throws -> [SampleBuffer] {
    try samples(path, .video, .video(pixelFormat: .yuv420p))
  }

  static func sound(_ path: String, rate: Int? = nil, layout: ChannelLayout? = nil) throws -> Sound
  {
    try Sound(
      samples(
        path, .audio, .audio(sampleFormat: .fltp, sampleRate: rate, channelLayout: layout)))
  }
}

/// A temporary folder that is removed with this object.
final class Scratch {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "respool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
  }
}

/// Decoded audio of a whole track.
struct Sound {
  var start: MediaTime
  var rate: Int
  var channels: [[Float]]
  var layout: ChannelLayout

  var count: Int { channels[0].count }

  /// Joins decoded samples.
  ///
  /// The test fails if one does not begin at the end of the previous one.
  init(_ samples: [SampleBuffer]) throws {
    let first = try #require(samples.first)
    start = first.presentationTimeStamp
    var next = start
    var format: Frame?
    var channels: [[Float]] = []
    for sample in samples {
      guard case .frame(let frame) = sample.content else { throw MediaError(.internal, "a packet") }
      #expect(sample.presentationTimeStamp == next, "blocks leave a hole")
      next = next + sample.duration
      if format == nil {
        format = frame
        channels = Array(repeating: [], count: frame.channelLayout.channelCount)
      }
      for (channel, plane) in frame.planes.enumerated() {
        channels[channel] += Array(
          UnsafeBufferPointer(
            start: plane.base.assumingMemoryBound(to: Float.self), count: frame.sampleCount))
      }
      withExtendedLifetime(frame) {}
    }
    let frame = try #require(format)
    (rate, layout, self.channels) = (frame.sampleRate, frame.channelLayout, channels)
  }

  /// Returns the times, in seconds, at which the first channel becomes loud after a tenth of a second of silence.
  func onsets(threshold: Float = 0.25) -> [Double] {
    var onsets: [Double] = []
    var quiet = rate
    for (index, value) in channels[0].enumerated() {
      if abs(value) < threshold {
        quiet += 1
      } else {
        if quiet > rate / 10 { onsets.append(start.seconds + Double(index) / Double(rate)) }
        quiet = 0
      }
    }
    return onsets
  }

  /// Returns the power of a tone in a channel: the square of half its amplitude.
  func power(of frequency: Double, channel: Int) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, value) in channels[channel].enumerated() {
      let angle = 2 * Double.pi * frequency * Double(index) / Double(rate)
      real += Double(value) * cos(angle)
      imaginary += Double(value) * sin(angle)
    }
    let count = Double(channels[channel].count)
    return (real * real + imaginary * imaginary) / (count * count)
  }
}

extension SampleBuffer {
  var frame: Frame? { if case .frame(let frame) = content { frame } else { nil } }
  var packet: Packet? { if case .packet(let packet) = content { packet } else { nil } }

  /// Returns the mean luma, 0 to 255, of a part of the frame.
  ///
  /// The part is given in fractions of the frame's width and height.
  func brightness(x: Range<Double> = 0..<1, y: Range<Double> = 0..<1) throws -> Double {
    let frame = try #require(frame)
    let columns = Int(x.lowerBound * Double(frame.width))..<Int(x.upperBound * Double(frame.width))
    let rows = Int(y.lowerBound * Double(frame.height))..<Int(y.upperBound * Double(frame.height))
    var sum = 0
    for row in rows {
      let line = frame.planes[0].base + row * frame.planes[0].stride
      for column in columns { sum += Int(line.load(fromByteOffset: column, as: UInt8.self)) }
    }
    withExtendedLifetime(frame) {}
    return Double(sum) / Double(columns.count * rows.count)
  }
}

extension [SampleBuffer] {
  /// Returns the presentation times, in seconds, of the first frame of each flash.
  func flashes() throws -> [Double] {
    var flashes: [Double] = []
    var wasBright = false
    for sample in self {
      let isBright = try sample.brightness() > 128
      if isBright, !wasBright { flashes.append(sample.presentationTimeStamp.seconds) }
      wasBright = isBright
    }
    return flashes
  }
}

/// Values recorded by closures on other threads.
final class Notes<Value: Sendable>: Sendable {
  private let list = Mutex<[Value]>([])
  var values: [Value] { list.withLock { $0 } }
  func add(_ value: Value) { list.withLock { $0.append(value) } }
}
