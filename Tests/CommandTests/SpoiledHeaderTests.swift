import Foundation
import Testing

/// Outputs whose media is whole and whose headers or tables for seeking are wrong: none gets a name.
@Suite struct SpoiledHeaderTests {
  private let folder = TemporaryFolder()
  private let library: CPlugin

  init() throws { library = try CPlugin("spoil_output.c") }

  /// Changes of an MP4 file, by name.
  ///
  /// Each gets the file and the places of the contents of all boxes of a type.
  private static let movieChanges: [String: (String, @Sendable (inout Data, Range<Int>) -> Void)] =
    [
      "times of the video": (
        "trak/mdia/minf/stbl/stts", { $0.scale(at: $1.lowerBound + 12, by: 2) }
      ),
      "clock of the video": ("trak/mdia/mdhd", { $0.scale(at: $1.lowerBound + 12, by: 0.5) }),
      "duration": ("mvhd", { $0.scale(at: $1.lowerBound + 16, by: 2) }),
      "half duration": ("mvhd", { $0.scale(at: $1.lowerBound + 16, by: 0.5) }),
      "no sync samples": ("trak/mdia/minf/stbl/stss", { $0.rename($1) }),
      "late sync samples": (
        "trak/mdia/minf/stbl/stss",
        { file, box in
          for place in stride(from: box.lowerBound + 8, to: box.upperBound, by: 4) {
            file.scale(at: place, by: 1, plus: 1)
          }
        }
      ),
      "no order of frames": ("trak/mdia/minf/stbl/ctts", { $0.rename($1) }),
      "edit": ("trak/edts/elst", { $0.scale(at: $1.upperBound - 8, by: 1, plus: 9000) }),
      "place of a chunk": ("trak/mdia/minf/stbl/stco", { $0.changeMiddle($1, first: 8, by: 64) }),
      "size of a sample": ("trak/mdia/minf/stbl/stsz", { $0.changeMiddle($1, first: 12, by: -1) }),
      "no video": ("trak", { $0.rename($1) }),
      "rotation": (
        "trak/tkhd",
        { file, box in
          let matrix: [UInt32] = [0, 0x10000, 0, 0xFFFF_0000, 0, 0, 0, 0, 0x4000_0000]
          for (index, value) in matrix.enumerated() {
            file.set(value, at: box.lowerBound + 40 + 4 * index)
          }
        }
      ),
    ]

  /// Makes a clip with reordered frames and several sync samples.
  private func clip() throws -> String {
    let clip = folder("clip.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "testsrc2=size=160x96:rate=25:duration=4", "-f", "lavfi",
        "-i", "sine=duration=4", "-c:v", "libx264", "-bf", "2", "-g", "20", "-preset", "ultrafast",
        "-x264-params", "b-adapt=0", "-c:a", "aac", clip,
      ])
    return clip
  }

  /// Converts a clip to a file by a preset; `spoiled` takes the place of the output's bytes before they are checked.
  private func convert(_ clip: String, _ output: String, _ preset: String, spoiled: Data? = nil)
    throws -> (status: Int32, errors: String)
  {
    var environment: [String] = []
    if let spoiled {
      try spoiled.write(to: URL(fileURLWithPath: folder("spoiled")))
      environment = [
        "LD_PRELOAD=\(library.path)", "SPOIL_BY=\(folder("spoiled"))", "RESPOOL_SANDBOX=off",
      ]
    }
    let result = try Respool.start(
      ["convert", clip, folder(output), "--preset", preset], environment: environment
    ).wait()
    return (result.status, result.errors)
  }

  @Test(arguments: ["remux-mp4", "h264-fast-480p"])
  func `a movie whose header is wrong is not published`(preset: String) throws {
    let clip = try clip()
    #expect(try convert(clip, "good.mp4", preset).status == 0)
    let good = try Data(contentsOf: URL(fileURLWithPath: folder("good.mp4")))
    #expect(try convert(clip, "same.mp4", preset, spoiled: good).status == 0)
    for (name, (path, change)) in Self.movieChanges.sorted(by: { $0.key < $1.key }) {
      var spoiled = good
      let box = try #require(good.boxes("moov/" + path).first, "\(name)")
      change(&spoiled, box)
      try #require(spoiled != good, "\(name)")
      let result = try convert(clip, "bad.mp4", preset, spoiled: spoiled)
      #expect(result.status == 1, "\(name): \(result.errors)")
      #expect(result.errors.contains("the output"), "\(name): \(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder("bad.mp4")), "\(name)")
      try? FileManager.default.removeItem(atPath: folder("bad.mp4"))
    }
  }

  @Test func `a Matroska file whose header or cues are wrong is not published`() throws {
    let clip = try clip()
    #expect(try convert(clip, "good.mkv", "remux-mkv").status == 0)
    let good = try Data(contentsOf: URL(fileURLWithPath: folder("good.mkv")))
    #expect(try convert(clip, "same.mkv", "remux-mkv", spoiled: good).status == 0)
    let duration = try #require(good.range(of: Data([0x44, 0x89, 0x88])))
    let scale = try #require(good.range(of: Data([0x2A, 0xD7, 0xB1, 0x83])))
    let cues = try #require(good.range(of: Data([0x1C, 0x53, 0xBB, 0x6B]), options: .backwards))
    let position = try #require(
      good.range(of: Data([0xF1, 0x86]), in: cues.upperBound..<good.endIndex))
    var changes: [String: Data] = [:]
    func change(_ name: String, _ place: Int, _ bytes: [UInt8]) {
      var spoiled = good
      spoiled.replaceSubrange(place..<place + bytes.count, with: bytes)
      changes[name] = spoiled
    }
    // The exponent of the number is one higher.
    change("duration", duration.upperBound + 1, [good[duration.upperBound + 1] + 0x10])
    change("no duration", duration.lowerBound, [0xEC, 0x89])
    change("clock", scale.upperBound, [0x07, 0xA1, 0x20])
    // An unknown element takes the place of the cues.
    change("no cues", cues.lowerBound, [0x1C, 0x53, 0xBB, 0x6C])
    change("wrong cues", position.upperBound + 5, [good[position.upperBound + 5] ^ 1])
    for (name, spoiled) in changes.sorted(by: { $0.key < $1.key }) {
      try #require(spoiled != good, "\(name)")
      let result = try convert(clip, "bad.mkv", "remux-mkv", spoiled: spoiled)
      #expect(result.status == 1, "\(name): \(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder("bad.mkv")), "\(name)")
      try? FileManager.default.removeItem(atPath: folder("bad.mkv"))
    }
  }
}

extension Data {
  /// Returns the places of the contents of all boxes at a path.
  fileprivate func boxes(_ path: String) -> [Range<Int>] { boxes(path, in: startIndex..<endIndex) }

  private func boxes(_ path: String, in range: Range<Int>) -> [Range<Int>] {
    let names = path.split(separator: "/", maxSplits: 1).map(String.init)
    var found: [Range<Int>] = []
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
      let size = Int(number(at: place))
      guard size >= 8, place + size <= range.upperBound else { break }
      if String(decoding: self[place + 4..<place + 8], as: UTF8.self) == names[0] {
        let content = place + 8..<place + size
        found += names.count > 1 ? boxes(names[1], in: content) : [content]
      }
      place += size
    }
    return found
  }

  private func number(at place: Int) -> UInt32 {
    self[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  fileprivate mutating func set(_ value: UInt32, at place: Int) {
    for byte in 0..<4 { self[place + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte)) }
  }

  fileprivate mutating func scale(at place: Int, by factor: Double, plus more: Int = 0) {
    set(UInt32(Double(number(at: place)) * factor) &+ UInt32(truncatingIfNeeded: more), at: place)
  }

  /// Gives a box, whose contents are at `range`, a type that is not read.
  fileprivate mutating func rename(_ range: Range<Int>) {
    replaceSubrange(range.lowerBound - 4..<range.lowerBound, with: Data("free".utf8))
  }

  /// Changes a number in the middle of a table, whose first entry is `first` bytes after the start of a box.
  fileprivate mutating func changeMiddle(_ range: Range<Int>, first: Int, by more: Int) {
    let count = (range.count - first) / 4
    scale(at: range.lowerBound + first + count / 2 * 4, by: 1, plus: more)
  }
}
