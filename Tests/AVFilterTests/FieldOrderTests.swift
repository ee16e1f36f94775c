import RespoolPlugin
import Testing

@testable import AVFilter

/// Field order after filters that move rows.
@Suite struct FieldOrderTests {
  typealias FieldOrder = TrackDescription.FieldOrder

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var options = ""
    var format = PixelFormat.yuv422p
    var height = 48
    var expected: FieldOrder

    var testDescription: String { "\(name)=\(options) \(format) \(height)" }
  }

  static let cases: [Case] = [
    Case(name: "hflip", expected: .topFirst),
    Case(name: "vflip", expected: .bottomFirst),
    Case(name: "vflip", height: 47, expected: .topFirst),
    Case(name: "transpose", options: "dir=clock", format: .yuv444p, expected: .unknown),
    Case(
      name: "transpose", options: "dir=clock:passthrough=landscape", format: .yuv444p,
      expected: .topFirst),
    Case(name: "pad", options: "h=ih+8:y=3", expected: .bottomFirst),
    Case(name: "pad", options: "h=ih+8:y=(oh-ih)/2", expected: .topFirst),
    Case(name: "pad", options: "h=ih+6:y=(oh-ih)/2", expected: .bottomFirst),
    Case(name: "pad", options: "h=ih+6:y=-1", expected: .bottomFirst),
    Case(name: "pad", options: "h=ih+8:y=3", format: .yuv420p, expected: .topFirst),
    Case(name: "pad", options: "h=ih+8", expected: .topFirst),
    Case(name: "crop", options: "h=40", expected: .topFirst),
    Case(name: "crop", options: "h=42", expected: .bottomFirst),
    Case(name: "crop", options: "h=42", format: .yuv420p, expected: .topFirst),
    Case(name: "crop", options: "h=40:y=1", expected: .bottomFirst),
    Case(name: "crop", options: "h=40:y=n", expected: .unknown),
    Case(name: "crop", options: "h=40:y=if(gt(t,1),1,2)", expected: .unknown),
    Case(name: "bwdif", expected: .progressive),
  ]

  @Test(arguments: cases)
  func `track and frames have the same order of fields`(test: Case) throws {
    var video = try RawVideo(
      "testsrc2=size=64x\(test.height):rate=25:duration=0.2", test.format, 64, test.height)
    video.isInterlaced = true
    let filter = try Filtering.type(test.name).init(
      settings: FilterSettings(track: video.track, options: Filtering.options(test.options)))
    #expect(filter.track.fieldOrder == test.expected)
    let frames = try Filtering.run(filter, video.frames)
    #expect(!frames.isEmpty)
    let hasFields = test.expected == .topFirst || test.expected == .bottomFirst
    #expect(frames.allSatisfy { $0.fieldOrder == (hasFields ? test.expected : nil) })
  }

  /// Each row of the source has its number as its value, so that the first row of the output is known.
  @Test(arguments: cases.filter { $0.name == "crop" && $0.expected != .unknown })
  func `the stated order is that of the rows`(test: Case) throws {
    var video = try RawVideo(
      "color=size=64x\(test.height):rate=25:duration=0.04", test.format, 64, test.height)
    video.isInterlaced = true
    let filter = try Filtering.type(test.name).init(
      settings: FilterSettings(track: video.track, options: Filtering.options(test.options)))
    let source = video.frames
    for row in 0..<test.height {
      (source[0].planes[0].base + row * source[0].planes[0].stride).initializeMemory(
        as: UInt8.self, repeating: UInt8(row), count: 64)
    }
    let frame = try #require(try Filtering.run(filter, source).first)
    let first = frame.planes[0].base.load(as: UInt8.self)
    #expect(frame.fieldOrder == (first.isMultiple(of: 2) ? .topFirst : .bottomFirst))
  }
}
