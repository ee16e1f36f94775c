import Foundation
import RespoolPlugin
import Testing

@testable import AVFilter

/// Runs of Debian's ffmpeg, against which filters are compared.
enum FFmpeg {
  struct Failure: Error { var words: String }

  /// Runs ffmpeg and returns its standard output.
  static func run(_ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["ffmpeg", "-hide_banner", "-nostdin", "-v", "error"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(words: String(decoding: words, as: UTF8.self))
    }
    return data
  }
}

/// A raw file of frames that ffmpeg made.
final class RawFile {
  let path: String
  let bytes: [UInt8]

  init(_ arguments: [String]) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "respool-\(UUID()).raw").path
    _ = try FFmpeg.run(arguments + ["-y", path])
    bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Raw video of 25 frames a second.
struct RawVideo {
  let format: PixelFormat
  let width: Int
  let height: Int
  let file: RawFile
  /// `true` if frames are marked as interlaced with the top field first.
  var isInterlaced = false

  /// Makes video from a source and filters of ffmpeg.
  init(_ source: String, _ format: PixelFormat, _ width: Int, _ height: Int) throws {
    (self.format, self.width, self.height) = (format, width, height)
    file = try RawFile([
      "-f", "lavfi", "-i", source, "-pix_fmt", format.name, "-f", "rawvideo",
    ])
  }

  var track: TrackDescription {
    var track = TrackDescription(kind: .video, codec: "", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (width, height, format)
    (track.frameRate, track.baseFrameRate) = (Rational(25, 1), Rational(25, 1))
    if isInterlaced { track.fieldOrder = .topFirst }
    return track
  }

  var frames: [Frame] {
    guard let layout = format.layout else { return [] }
    let sizes = (0..<layout.planeCount).map {
      (layout.rowBytes(ofPlane: $0, for: width), layout.height(ofPlane: $0, for: height))
    }
    let size = sizes.reduce(0) { $0 + $1.0 * $1.1 }
    return (0..<file.bytes.count / size).compactMap { index in
      guard var frame = Frame(pixelFormat: format, width: width, height: height, pts: Int64(index))
      else { return nil }
      var offset = index * size
      for (plane, (bytes, rows)) in zip(frame.planes, sizes) {
        for row in 0..<rows {
          file.bytes.withUnsafeBytes { all in
            UnsafeMutableRawBufferPointer(start: plane.base + row * plane.stride, count: bytes)
              .copyMemory(from: UnsafeRawBufferPointer(rebasing: all[offset..<offset + bytes]))
          }
          offset += bytes
        }
      }
      frame.duration = 1
      if isInterlaced { frame.flags = [.interlaced, .topFieldFirst] }
      return frame
    }
  }

  /// Returns time and hash of each frame that ffmpeg makes with a filter, and its time base.
  func expected(_ filter: String) throws -> (timeBase: Rational, frames: [String]) {
    let text = try FFmpeg.run([
      "-f", "rawvideo", "-pixel_format", format.name, "-video_size", "\(width)x\(height)",
      "-framerate", "25", "-i", file.path, "-vf",
      (isInterlaced ? "setfield=tff," : "") + filter, "-vsync", "passthrough", "-f", "framemd5",
      "-",
    ])
    var base = Rational.unknown
    var frames: [String] = []
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("#tb 0: ") {
        let parts = line.dropFirst(7).split(separator: "/").compactMap { Int32($0) }
        base = Rational(parts[0], parts[1])
      }
      guard !line.hasPrefix("#") else { continue }
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      frames.append("\(fields[2]) \(fields[5])")
    }
    return (base, frames)
  }
}

/// Raw interleaved audio.
struct RawAudio {
  let format: SampleFormat
  let rate: Int
  let layout: ChannelLayout
  let file: RawFile

  /// Makes two seconds of tones and noise, as many channels as `layout` has.
  init(_ format: SampleFormat, rate: Int = 48000, layout: ChannelLayout = .stereo) throws {
    (self.format, self.rate, self.layout) = (format, rate, layout)
    let channels = (0..<layout.channelCount).map {
      "0.3*sin(2*PI*\(220 * ($0 + 1))*t)*(0.6+0.4*sin(3*t+\($0)))+0.05*random(\($0))"
    }
    file = try RawFile([
      "-f", "lavfi", "-i", "aevalsrc='\(channels.joined(separator: "|"))':d=2:s=\(rate)", "-f",
      Self.name(format), "-c:a", "pcm_" + Self.name(format),
    ])
  }

  /// FFmpeg's name for raw audio in a format.
  static func name(_ format: SampleFormat) -> String {
    switch format.interleaved {
    case .s16: "s16le"
    case .s32: "s32le"
    case .flt: "f32le"
    default: "f64le"
    }
  }

  var track: TrackDescription {
    var track = TrackDescription(
      kind: .audio, codec: "", timeBase: Rational(1, Int32(clamping: rate)))
    (track.sampleRate, track.channelLayout, track.sampleFormat) = (rate, layout, format)
    return track
  }

  var frames: [Frame] {
    let unit = format.bytesPerSample * layout.channelCount
    let total = file.bytes.count / unit
    return stride(from: 0, to: total, by: 1024).compactMap { start in
      guard
        var frame = Frame(
          sampleFormat: format, channelLayout: layout, sampleRate: rate,
          sampleCount: min(1024, total - start), pts: Int64(start))
      else { return nil }
      file.bytes.withUnsafeBytes { all in
        guard let first = all.baseAddress else { return }
        let base = first + start * unit
        if format.isPlanar {
          for sample in 0..<frame.sampleCount {
            for (channel, plane) in frame.planes.enumerated() {
              (plane.base + sample * format.bytesPerSample).copyMemory(
                from: base + (sample * layout.channelCount + channel) * format.bytesPerSample,
                byteCount: format.bytesPerSample)
            }
          }
        } else {
          frame.planes[0].base.copyMemory(from: base, byteCount: frame.sampleCount * unit)
        }
      }
      frame.duration = Int64(frame.sampleCount)
      return frame
    }
  }

  /// Returns the bytes of ffmpeg's audio after a filter, in the same sample format.
  func expected(_ filter: String) throws -> Data {
    try FFmpeg.run([
      "-f", Self.name(format), "-ar", "\(rate)", "-ac", "\(layout.channelCount)", "-i", file.path,
      "-af", filter, "-f", Self.name(format), "-c:a", "pcm_" + Self.name(format), "-",
    ])
  }
}

/// Runs of this plugin's filters.
enum Filtering {
  static func type(_ name: String) throws -> any Filter.Type {
    try #require(
      (videoFilters + audioFilters + measuringFilters).first { $0.description.name == name })
  }

  /// Sends all frames, drains, and returns the frames that came out.
  static func run(_ filter: any Filter, _ frames: [Frame]) throws -> [Frame] {
    var results: [Frame] = []
    for frame in frames + [nil] {
      guard case .accepted = try filter.send(frame) else { throw FFmpeg.Failure(words: "full") }
      receiving: while true {
        switch try filter.receive() {
        case .value(let result): results.append(result)
        case .needsInput:
          try #require(frame != nil)
          break receiving
        case .end: break receiving
        }
      }
    }
    return results
  }

  static func options(_ text: String) -> [PluginOption] {
    text.split(separator: ":").map { part in
      let halves = part.split(separator: "=", maxSplits: 1).map(String.init)
      return PluginOption(halves[0], halves.count > 1 ? halves[1] : "")
    }
  }

  /// Returns the bytes of a frame without padding, audio interleaved.
  static func bytes(_ frame: Frame) -> [UInt8] {
    var bytes: [UInt8] = []
    if let layout = frame.pixelFormat.layout {
      for plane in 0..<layout.planeCount {
        for row in 0..<layout.height(ofPlane: plane, for: frame.height) {
          bytes += UnsafeRawBufferPointer(
            start: frame.planes[plane].base + row * frame.planes[plane].stride,
            count: layout.rowBytes(ofPlane: plane, for: frame.width))
        }
      }
      return withExtendedLifetime(frame.buffer) { bytes }
    }
    let (size, channels) = (frame.sampleFormat.bytesPerSample, frame.channelLayout.channelCount)
    for sample in 0..<frame.sampleCount {
      if frame.sampleFormat.isPlanar {
        for plane in frame.planes.prefix(channels) {
          bytes += UnsafeRawBufferPointer(start: plane.base + sample * size, count: size)
        }
      } else {
        bytes += UnsafeRawBufferPointer(
          start: frame.planes[0].base + sample * size * channels, count: size * channels)
      }
    }
    return withExtendedLifetime(frame.buffer) { bytes }
  }
}
