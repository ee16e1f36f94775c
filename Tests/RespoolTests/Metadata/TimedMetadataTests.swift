import RespoolMedia
import ReadingFixtures
import TestFixtures
import Testing

@testable import Respool

/// Items of timed metadata, their data types and the format description of their track.
@Suite struct TimedMetadataItems {
  static func item(
    _ value: MetadataItem.Value, _ type: MetadataDataType?, _ key: String = "org.example.value"
  ) -> MetadataItem {
    var item = MetadataItem(
      identifier: MetadataIdentifier(key: key, keySpace: .quickTimeMetadata), value: value)
    item.dataType = type
    return item
  }

  private func coding(_ types: MetadataDataType...) throws -> TimedMetadataCoding {
    try TimedMetadataCoding(
      FormatDescription(
        metadataSpecifications: types.map {
          MetadataSpecification(
            identifier: MetadataIdentifier(key: "org.example.value", keySpace: .quickTimeMetadata),
            dataType: $0)
        }))
  }

  private func group(_ items: MetadataItem...) -> TimedMetadataGroup {
    TimedMetadataGroup(
      items: items, timeRange: TimeRange(start: Writing.time(5), duration: Writing.time(3)))
  }

  @Test(
    arguments: [
      (.utf8, .string("Größe"), [71, 114, 0xC3, 0xB6, 0xC3, 0x9F, 101]),
      (.utf16, .string("ö🌍"), [0, 0xF6, 0xD8, 0x3C, 0xDF, 0x0D]),
      (.int8, .integer(-1), [0xFF]), (.int16, .integer(-2), [0xFF, 0xFE]),
      (.int32, .integer(1 << 30), [0x40, 0, 0, 0]),
      (.int64, .integer(.min), [0x80, 0, 0, 0, 0, 0, 0, 0]),
      (.uint8, .integer(255), [255]), (.uint16, .integer(65535), [255, 255]),
      (.uint32, .integer(1 << 31), [0x80, 0, 0, 0]),
      (.uint64, .integer(.max), [0x7F, 255, 255, 255, 255, 255, 255, 255]),
      (.float32, .real(-0.5), [0xBF, 0, 0, 0]), (.float64, .real(2), [0x40, 0, 0, 0, 0, 0, 0, 0]),
      (.pointF32, .numbers([1, 2]), [0x3F, 0x80, 0, 0, 0x40, 0, 0, 0]),
      (.dimensionsF32, .numbers([2, 1]), [0x40, 0, 0, 0, 0x3F, 0x80, 0, 0]),
      (.jpeg, .data([0xFF, 0xD8]), [0xFF, 0xD8]), (.rawData, .data([]), []),
      (MetadataDataType(rawValue: "org.example.own"), .data([1, 2, 3]), [1, 2, 3]),
      (MetadataDataType(rawValue: "69"), .data([9]), [9]),
    ] as [(MetadataDataType, MetadataItem.Value, [UInt8])])
  func `a value is stored by its type and round-trips`(
    type: MetadataDataType, value: MetadataItem.Value, bytes: [UInt8]
  ) throws {
    let group = group(Self.item(value, type))
    let coding = try coding(type)
    let sample = try coding.sample(of: group)
    let stored = MetadataSample(Array(try #require(sample.dataBuffer).readOnly))
    #expect(stored.values.map(\.bytes) == [bytes])
    #expect(coding.group(of: sample) == group)
    #expect(TimedMetadataGroup(sampleBuffer: sample) == group)
  }

  @Test(
    arguments: [
      (.rectF32, [0, 0.25, 1, 0.5]), (.polygonF32, [0, 0, 1, 0, 1, 1]),
      (.affineTransformF64, [1, 0, 0, 0, 1, 0, 0.1, 0.2, 1]),
      (.perspectiveTransformF64, [1, 0, 0, 0, 1, 0, 0, 0.1, 1]),
    ] as [(MetadataDataType, [Double])])
  func `several numbers round-trip`(type: MetadataDataType, numbers: [Double]) throws {
    let group = group(Self.item(.numbers(numbers), type))
    let coding = try coding(type)
    #expect(coding.group(of: try coding.sample(of: group)) == group)
    let short = self.group(Self.item(.numbers(Array(numbers.dropLast())), type))
    #expect(throws: MediaError.self) { try coding.sample(of: short) }
  }

  @Test(
    arguments: [
      (.int8, .integer(128)), (.uint8, .integer(-1)), (.uint64, .integer(-1)),
      (.int32, .integer(1 << 31)), (.int16, .string("1")), (.utf8, .integer(1)),
      (.rawData, .string("text")), (.jpeg, .real(1)), (.pointF32, .real(1)),
    ] as [(MetadataDataType, MetadataItem.Value)])
  func `a value out of the range of its type is rejected`(
    type: MetadataDataType, value: MetadataItem.Value
  ) throws {
    let error = #expect(throws: MediaError.self) {
      try coding(type).sample(of: group(Self.item(value, type)))
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("org.example.value") == true)
  }

  @Test(
    arguments: [
      (.int16, [1]), (.float32, [0, 0, 0]), (.uint64, Array(repeating: 0xFF, count: 8)),
      (.utf8, [0xFF]), (.utf16, [1]), (.rectF32, Array(repeating: 0, count: 12)),
    ] as [(MetadataDataType, [UInt8])])
  func `bytes that do not fit their type stay data`(type: MetadataDataType, bytes: [UInt8]) throws {
    let coding = try coding(type)
    // Data is written unchanged, whatever its type.
    let group = group(Self.item(.data(bytes), type))
    #expect(coding.group(of: try coding.sample(of: group)) == group)
  }

  @Test func `a custom type is read as the type that it conforms to`() throws {
    let degrees = MetadataDataType(rawValue: "org.example.degrees")
    let specification = MetadataSpecification(
      identifier: MetadataIdentifier(key: "org.example.value", keySpace: .quickTimeMetadata),
      dataType: degrees,
      conformingDataTypes: [MetadataDataType(rawValue: "org.example.angle"), .float32])
    let format = try FormatDescription(metadataSpecifications: [specification])
    #expect(format.metadataSpecifications == [specification])
    let coding = try TimedMetadataCoding(format)
    let group = group(Self.item(.real(0.5), degrees))
    #expect(coding.group(of: try coding.sample(of: group)) == group)
  }

  @Test(.rule("Values with keys that the track's format lacks cannot be read"))
  func `values with keys that the track's format lacks are ignored`() throws {
    let coding = try coding(.utf8)
    let sample = MetadataSample(values: [
      .init(localID: 9, bytes: [1]), .init(localID: 1, bytes: [65]),
      .init(localID: .max, bytes: [1]),
    ])
    let packet = Packet(
      track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer(sample.bytes)))
    let group = coding.group(
      of: SampleBuffer(.packet(packet), format: coding.format, timeBase: Rational(1, 25)))
    #expect(group?.items == [Self.item(.string("A"), .utf8)])
  }

  @Test func `the language is part of what names an item`() throws {
    var (german, english) = (Self.item(.string("Berg"), .utf8), Self.item(.string("hill"), .utf8))
    (german.extendedLanguageTag, english.extendedLanguageTag) = ("de-CH", "en")
    let format = try #require(group(german, english).formatDescription)
    #expect(format.metadataSpecifications.map(\.extendedLanguageTag) == ["de-CH", "en"])
    let coding = try TimedMetadataCoding(format)
    let both = group(english, german)
    #expect(coding.group(of: try coding.sample(of: both)) == both)
    #expect(throws: MediaError.self) {
      try coding.sample(of: group(Self.item(.string("Berg"), .utf8)))
    }
  }

  @Test func `an item without a type has the type of the track's key`() throws {
    let coding = try coding(.rawData, .int16, .int64)
    let sample = try coding.sample(of: group(Self.item(.integer(70000), nil)))
    #expect(coding.group(of: sample)?.items == [Self.item(.integer(70000), .int64)])
  }

  @Test(.rule)
  func `the format description of a group has its identifiers, data types and languages`() throws {
    let items = [
      MetadataItem(identifier: TimedMetadata.place, value: .string("+48.1-011.6/")),
      Self.item(.integer(1), .uint8), Self.item(.real(1), nil, "org.example.other"),
    ]
    let format = try #require(
      TimedMetadataGroup(items: items, timeRange: .zero).formatDescription)
    #expect(format.mediaType == .metadata && format.codec == "mebx")
    #expect(format.metadataSpecifications.map(\.identifier) == items.compactMap(\.identifier))
    #expect(format.metadataSpecifications.map(\.dataType) == [.utf8, .uint8, .float64])
    #expect(TimedMetadataGroup(items: [], timeRange: .zero).formatDescription == nil)
    #expect(group(MetadataItem()).formatDescription == nil)
    #expect(group(Self.item(.numbers([1]), nil)).formatDescription == nil)
  }

  @Test func `keys of other key spaces are four-character codes`() throws {
    let sign = MetadataIdentifier(key: "\u{A9}xyz", keySpace: .quickTimeUserData)
    let format = try FormatDescription(
      metadataSpecifications: [
        MetadataSpecification(identifier: sign, dataType: .utf8),
        MetadataSpecification(identifier: sign, dataType: .utf8),
      ])
    #expect(format.metadataSpecifications.map(\.identifier) == [sign])
    #expect(try MetadataKeyTable(extradata: format.track.extradata).keys[0].name.first == 0xA9)
    for identifier in ["id3/TIT2", "nothing", "mdta/", "täst/x"] {
      let error = #expect(throws: MediaError.self) {
        try FormatDescription(metadataSpecifications: [
          MetadataSpecification(
            identifier: MetadataIdentifier(rawValue: identifier), dataType: .utf8)
        ])
      }
      #expect(error?.code == .invalidArgument)
    }
    #expect(throws: MediaError.self) { try FormatDescription(metadataSpecifications: []) }
  }

  @Test func `other formats have no keys, and their samples are no groups`() throws {
    let format = FormatDescription(videoCodec: "h264", width: 16, height: 16)
    #expect(format.metadataSpecifications.isEmpty)
    #expect(TimedMetadataGroup(sampleBuffer: try Writing.picture(0)) == nil)
  }
}
