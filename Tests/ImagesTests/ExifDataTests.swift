import RespoolPlugin
import Testing

@testable import Images

@Suite struct ExifDataTests {
  @Test(arguments: [
    ("2024-05-06T07:08:09.25+02:00", "2024-05-06T07:08:09.25+02:00"),
    ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09+00:00"),
    ("2024-05-06T07:08:09", "2024-05-06T07:08:09"), ("2024-05-06", nil), ("yesterday", nil),
  ])
  func `texts and dates are read as they were written`(_ date: String, _ expected: String?) throws {
    let texts = [
      MetadataEntry("make", "A"), MetadataEntry("model", "Größe 1"),
      MetadataEntry("copyright", "abcd"), MetadataEntry("creation_time", date),
    ]
    let data = try #require(ExifData(texts: texts))
    let read = data.texts(besides: [])
    #expect(read.filter { $0.name != "creation_time" } == Array(texts.prefix(3)))
    #expect(read.first { $0.name == "creation_time" }?.value == expected)
    #expect(data.texts(besides: [MetadataEntry("make", "B")]).allSatisfy { $0.name != "make" })
  }

  @Test(arguments: 1...8) func `an orientation is added and changed`(_ number: UInt16) throws {
    let orientation = try #require(ExifOrientation(rawValue: number))
    #expect(ExifOrientation(orientation.matrix) == orientation)
    var data = try #require(ExifData(texts: [MetadataEntry("model", "Camera 1")]))
    #expect(data.orientation == .upright)
    data.adapt(to: orientation, width: 10, height: 20)
    #expect(data.orientation == orientation)
    #expect(data.texts(besides: []) == [MetadataEntry("model", "Camera 1")])
    data.adapt(to: .upright, width: 10, height: 20)
    #expect(data.orientation == .upright)
    #expect(ExifData(data.bytes)?.texts(besides: []) == [MetadataEntry("model", "Camera 1")])
  }

  /// A structure in the order of bytes of most cameras, with a position, a size and a preview.
  private static let camera: [UInt8] = {
    func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    func long(_ value: Int) -> [UInt8] { short(value & 65535) + short(value >> 16) }
    func field(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      short(tag) + short(type) + long(count) + value + Array(repeating: 0, count: 4 - value.count)
    }
    var bytes: [UInt8] = [0x49, 0x49, 42, 0] + long(8)
    bytes += short(3) + field(0x112, 3, 1, short(6)) + field(0x8769, 4, 1, long(50))
    bytes += field(0x8825, 4, 1, long(80)) + long(0x00_FF_FF)
    bytes += short(2) + field(0xA002, 4, 1, long(40)) + field(0xA003, 3, 1, short(30)) + long(0)
    bytes += short(4) + field(1, 2, 2, Array("S\0".utf8)) + field(2, 5, 3, long(134))
    bytes += field(3, 2, 2, Array("E\0".utf8)) + field(4, 5, 3, long(158)) + long(0)
    for (over, under) in [(33, 1), (51, 1), (3534, 100), (151, 1), (12, 1), (0, 1)] {
      bytes += long(over) + long(under)
    }
    return bytes
  }()

  @Test func `position, size and preview of a camera's data`() throws {
    var data = try #require(ExifData(Self.camera))
    #expect(data.orientation == .turned90)
    #expect(data.texts(besides: []).map(\.value) == ["-33.85982+151.20000/"])
    data.adapt(to: .turned90, width: 400, height: 300)
    #expect(Array(data.bytes[46..<50]) == [0xFF, 0xFF, 0, 0])
    #expect(
      Array(data.bytes[60..<64]) == [0x90, 1, 0, 0] && Array(data.bytes[72..<74]) == [0x2C, 1])
    // A preview that is turned otherwise is no longer referred to.
    data.adapt(to: .upright, width: 400, height: 300)
    #expect(Array(data.bytes[46..<50]) == [0, 0, 0, 0])
  }

  @Test func `damaged data is read as far as it goes`() {
    for count in 0..<Self.camera.count {
      var data = ExifData(Array(Self.camera.prefix(count)))
      data?.adapt(to: .mirrored, width: 1, height: 1)
      _ = data?.texts(besides: [])
    }
    for place in Self.camera.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var bytes = Self.camera
        bytes[place] = value
        var data = ExifData(bytes)
        data?.adapt(to: .turned270, width: 1 << 20, height: 1)
        _ = data?.texts(besides: [])
        if let data { #expect(data.bytes.count < bytes.count + 70) }
      }
    }
  }
}
