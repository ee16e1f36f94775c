import Foundation
import RespoolPlugin
import Testing

@testable import AVFilter

/// Frames of the video filters, which equal those of Debian's ffmpeg.
@Suite struct VideoFilterTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var options = ""
    var format = PixelFormat.yuv420p
    var isInterlaced = false
    /// Size of the frames that go in; odd by default.
    var size = (133, 71)
    var library: String?

    var testDescription: String { "\(name)=\(options) \(format)" }

    var text: String {
      let name = library ?? name
      return options.isEmpty ? name : "\(name)\(name.contains("=") ? ":" : "=")\(options)"
    }
  }

  static let cases: [Case] = [
    Case(name: "bwdif", isInterlaced: true, size: (134, 72)),
    Case(name: "bwdif", options: "mode=send_frame:parity=tff", isInterlaced: true),
    Case(name: "bwdif", options: "mode=send_field", format: .yuv422p10le, isInterlaced: true),
    Case(name: "bwdif", options: "deint=interlaced"),
    Case(name: "yadif", options: "mode=send_field", isInterlaced: true, size: (134, 72)),
    Case(name: "yadif", format: .yuv420p10le, isInterlaced: true),
    Case(name: "fieldmatch", isInterlaced: true, size: (134, 72)),
    Case(name: "decimate", size: (134, 72)),
    Case(name: "decimate", options: "cycle=4", format: .yuv420p10le, size: (134, 72)),
    Case(name: "hqdn3d"), Case(name: "hqdn3d", options: "luma_spatial=8", format: .yuv444p10le),
    Case(name: "nlmeans", options: "s=4:p=5:r=7"),
    Case(name: "unsharp"), Case(name: "unsharp", options: "lx=7:la=1.5", format: .yuv420p10le),
    Case(name: "deband"), Case(name: "deband", options: "range=8", format: .yuv420p12le),
    Case(name: "crop", options: "w=64:h=48:x=10:y=6"),
    Case(name: "crop", options: "w=iw-20:h=ih/2", format: .yuv422p10le),
    Case(name: "crop", options: "w=60:h=40:x=n*2", format: .rgb24),
    Case(name: "pad", options: "w=160:h=90:x=8:y=10:color=red"),
    Case(name: "pad", options: "w=160:h=80:x=(ow-iw)/2", format: .yuv420p10le),
    Case(name: "hflip"), Case(name: "hflip", format: .yuv420p10le), Case(name: "vflip"),
    Case(name: "transpose", options: "dir=clock"),
    Case(name: "transpose", options: "dir=cclock_flip", format: .yuv420p10le),
    Case(name: "fps", options: "fps=60"), Case(name: "fps", options: "fps=10"),
    Case(name: "fps", options: "fps=ntsc:round=down", format: .yuv420p10le),
    Case(name: "eq", options: "contrast=1.2:brightness=0.1:saturation=1.5:gamma=0.9"),
    Case(name: "hue", options: "h=90:s=1.5"),
    Case(name: "hue", options: "h=30*t", format: .yuv420p10le),
    Case(name: "gray", library: "hue=s=0"),
    Case(name: "gray", format: .yuv422p10le, library: "hue=s=0"),
  ]

  private func video(_ test: Case) throws -> RawVideo {
    let (width, height) = test.size
    var video = try RawVideo(
      "testsrc2=size=\(width)x\(height):rate=50:duration=0.8,noise=alls=12:all_seed=7,"
        + (test.isInterlaced ? "tinterlace=4" : "framestep=2"), test.format, width, height)
    video.isInterlaced = test.isInterlaced
    return video
  }

  private func hashes(_ frames: [Frame]) -> [String] {
    frames.map { "\($0.pts.map { "\($0)" } ?? "-") \(MD5.hex(Filtering.bytes($0)))" }
  }

  @Test(arguments: cases)
  func `frames and times equal those of ffmpeg`(test: Case) throws {
    let video = try video(test)
    let (timeBase, expected) = try video.expected(test.text)
    let type = try Filtering.type(test.name)
    let options = Filtering.options(test.options)
    for threads in [1, 3] {
      let filter = try type.init(
        settings: FilterSettings(track: video.track, threads: threads, options: options))
      var frames = try Filtering.run(filter, video.frames)
      for index in frames.indices {
        frames[index].pts = frames[index].pts.map {
          filter.track.timeBase.convert($0, to: timeBase)
        }
      }
      #expect(hashes(frames) == expected, "\(threads) threads")
      #expect(
        frames.allSatisfy { $0.width == filter.track.width && $0.height == filter.track.height })
      #expect(frames.allSatisfy { $0.pixelFormat == filter.track.pixelFormat })
    }
  }

  @Test func `a field as a frame doubles rate and times`() throws {
    let video = try video(Case(name: "bwdif", isInterlaced: true, size: (64, 64)))
    let filter = try Filtering.type("bwdif").init(settings: FilterSettings(track: video.track))
    #expect(filter.track.frameRate == Rational(50, 1))
    #expect(filter.track.timeBase == Rational(1, 50))
    #expect(filter.track.fieldOrder == .progressive)
    let frames = try Filtering.run(filter, video.frames)
    #expect(frames.count == 2 * video.frames.count)
    #expect(frames.map(\.pts) == (0..<frames.count).map { Int64($0) })
    #expect(frames.allSatisfy { !$0.flags.contains(.interlaced) })
  }

  /// Rows that are neither aligned nor in order are copied, and give the same frames.
  @Test func `frames with negative and odd strides give the same frames`() throws {
    let video = try video(Case(name: "unsharp"))
    let type = try Filtering.type("unsharp")
    let turned = video.frames.compactMap { frame -> Frame? in
      guard let layout = frame.pixelFormat.layout else { return nil }
      let sizes = (0..<layout.planeCount).map {
        (
          layout.rowBytes(ofPlane: $0, for: frame.width) + 1,
          layout.height(ofPlane: $0, for: frame.height)
        )
      }
      let buffer = MediaBuffer(count: sizes.reduce(1) { $0 + $1.0 * $1.1 })
      var planes: [Frame.Plane] = []
      var offset = 1
      for (plane, (bytes, rows)) in sizes.enumerated() {
        guard let first = buffer.bytes.baseAddress else { return nil }
        let last = first + offset + (rows - 1) * bytes
        for row in 0..<rows {
          (last - row * bytes).copyMemory(
            from: frame.planes[plane].base + row * frame.planes[plane].stride, byteCount: bytes - 1)
        }
        planes.append(Frame.Plane(base: last, stride: -bytes))
        offset += bytes * rows
      }
      var result = Frame(kind: .video, pts: frame.pts, planes: planes, buffer: buffer)
      (result.pixelFormat, result.width, result.height) = (
        frame.pixelFormat, frame.width, frame.height
      )
      return result
    }
    let straight = try Filtering.run(
      type.init(settings: FilterSettings(track: video.track)), video.frames)
    let odd = try Filtering.run(type.init(settings: FilterSettings(track: video.track)), turned)
    #expect(hashes(odd) == hashes(straight))
  }

  static let hostile: [(name: String, options: String, words: String)] = [
    ("crop", "w=foo", "crop"), ("crop", "w=99999", "crop"), ("crop", "w=-4", "crop"),
    ("pad", "w=60000:h=60000", "Picture size 60000x60000 is invalid"),
    ("pad", "w=1:h=1", "pad"),
    ("pad", "color=nocolor", "color is \"nocolor\", which pad does not accept"),
    ("unsharp", "lx=4", "unsharp"), ("fps", "fps=1e9", "fps"), ("fps", "fps=words", "fps"),
    ("fps", "fps=5000", "fps makes 5000 frames a second; 1000 is the maximum"),
    ("hue", "h=((((", "hue"), ("eq", "contrast=nope(1)", "eq"),
  ]

  @Test(arguments: hostile)
  func `rejects options that make no sense, in a sentence`(
    name: String, options: String, words: String
  ) throws {
    let video = try video(Case(name: name))
    let type = try Filtering.type(name)
    let error = #expect(throws: MediaError.self) {
      _ = try type.init(
        settings: FilterSettings(track: video.track, options: Filtering.options(options)))
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("@ 0x") == false, "\(error?.message ?? "")")
  }

  @Test func `a gap of more than an hour is not filled with frames`() throws {
    let video = try video(Case(name: "fps"))
    let filter = try Filtering.type("fps").init(
      settings: FilterSettings(track: video.track, options: Filtering.options("fps=2")))
    var frames = video.frames
    frames[frames.count - 1].pts = 25 * 3600 * 24
    let error = #expect(throws: MediaError.self) { _ = try Filtering.run(filter, frames) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `rejects frames of another size`() throws {
    let video = try video(Case(name: "hqdn3d"))
    let filter = try Filtering.type("hqdn3d").init(settings: FilterSettings(track: video.track))
    let frame = Frame(pixelFormat: .yuv420p, width: 16, height: 16, pts: 0)
    #expect(throws: MediaError.self) { _ = try filter.send(frame) }
  }

  @Test func `a filter that is closed in the middle frees its frames`() throws {
    let video = try video(Case(name: "bwdif", isInterlaced: true))
    for name in ["bwdif", "nlmeans", "decimate", "fps"] {
      let filter = try Filtering.type(name).init(
        settings: FilterSettings(track: video.track, threads: 3))
      for frame in video.frames.prefix(3) { _ = try filter.send(frame) }
      if case .value(let frame) = try filter.receive() { #expect(frame.width == 133) }
    }
  }
}
