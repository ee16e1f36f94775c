import RespoolMedia
import Testing

@Suite struct MetadataKeyTableTests {
  private static let table: MetadataKeyTable = {
    var face = MetadataKeyTable.Key(
      localID: 7, namespace: "mdta", name: Array("org.example.face".utf8),
      dataType: .named("org.example.face"))
    face.conformsTo = [.wellKnown(72), .wellKnown(0)]
    return MetadataKeyTable(keys: [
      MetadataKeyTable.Key(
        localID: 1, namespace: "mdta", name: Array("com.apple.quicktime.title".utf8),
        dataType: .wellKnown(1), language: "de-CH"),
      MetadataKeyTable.Key(
        localID: 2, namespace: "udta", name: [0xA9, 0x78, 0x79, 0x7A], dataType: .wellKnown(2)),
      face,
    ])
  }()

  @Test func `a table round-trips`() throws {
    #expect(try MetadataKeyTable(extradata: Self.table.extradata) == Self.table)
  }

  /// Phones write such a key for the orientation of video.
  @Test func `a key with further boxes is read`() throws {
    let bytes: [UInt8] =
      [0, 0, 0, 0x65] + Array("keys".utf8) + [0, 0, 0, 0x5D, 0, 0, 0, 1, 0, 0, 0, 0x31]
      + Array("keydmdtacom.apple.quicktime.video-orientation".utf8)
      + [0, 0, 0, 16] + Array("dtyp".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x42]
      + [0, 0, 0, 20] + Array("sdpd".utf8) + [0, 0, 0, 12] + Array("sdpi".utf8) + [0, 0, 0, 0]
    let key = try #require(try MetadataKeyTable(extradata: bytes).keys.first)
    #expect(key.localID == 1 && key.namespace == "mdta")
    #expect(String(decoding: key.name, as: UTF8.self) == "com.apple.quicktime.video-orientation")
    #expect(key.dataType == .wellKnown(66) && key.language == nil)
  }

  @Test func `a truncated table is a prefix of the whole one`() throws {
    let bytes = Self.table.extradata
    for count in 0..<bytes.count {
      // A truncated table is an error.
      #expect(throws: MediaError.self) { try MetadataKeyTable(extradata: Array(bytes[..<count])) }
    }
  }

  @Test func `numbers without a key and keys without a name are ignored`() throws {
    var keys = Self.table.keys
    keys[0].localID = 0
    keys[1].localID = .max
    #expect(
      try MetadataKeyTable(extradata: MetadataKeyTable(keys: keys).extradata).keys == [keys[2]])
    keys[2].name = []
    #expect(throws: MediaError.self) {
      try MetadataKeyTable(extradata: MetadataKeyTable(keys: keys).extradata)
    }
  }

  @Test func `of two keys with one number the first is used`() throws {
    var keys = Self.table.keys
    keys[1].localID = 1
    let read = try MetadataKeyTable(extradata: MetadataKeyTable(keys: keys).extradata).keys
    #expect(read == [keys[0], keys[2]])
  }

  @Test func `a sample round-trips`() {
    let sample = MetadataSample(values: [
      .init(localID: 7, bytes: [1, 2, 3]), .init(localID: 1, bytes: []),
    ])
    #expect(MetadataSample(sample.bytes) == sample)
    #expect(sample.bytes == [0, 0, 0, 11, 0, 0, 0, 7, 1, 2, 3, 0, 0, 0, 8, 0, 0, 0, 1])
  }

  @Test func `a sample without values has bytes and no values`() {
    #expect(MetadataSample().bytes == [0, 0, 0, 8, 0, 0, 0, 0])
    #expect(MetadataSample(MetadataSample().bytes).values.isEmpty)
  }

  @Test(
    arguments: [
      [0, 0, 0, 12, 0, 0, 0, 2, 9], [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 9, 9, 9, 9],
      [0, 0, 0, 7, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0, 2], [0, 0, 0], [],
    ] as [[UInt8]])
  func `a sample ends before a value with an impossible size`(damage: [UInt8]) {
    let first = MetadataSample.Value(localID: 1, bytes: [5])
    #expect(MetadataSample(MetadataSample(values: [first]).bytes + damage).values == [first])
  }

  @Test func `changed bytes give keys and values that exist, or an error`() throws {
    let table = Self.table.extradata
    let sample = MetadataSample(values: [
      .init(localID: 1, bytes: [1, 2, 3]), .init(localID: 7, bytes: [4]),
    ]).bytes
    var state: UInt64 = 3
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: state >> 33) % bound
    }
    var readable = 0
    for _ in 0..<5000 {
      var (bytes, values) = (table, sample)
      for _ in 0...next(4) {
        bytes[next(bytes.count)] = UInt8(next(256))
        values[next(values.count)] = UInt8(next(256))
      }
      #expect(MetadataSample(values).values.allSatisfy { $0.bytes.count <= sample.count })
      guard let keys = try? MetadataKeyTable(extradata: bytes).keys else { continue }
      readable += 1
      #expect(!keys.isEmpty && keys.allSatisfy { !$0.name.isEmpty && $0.name.count < table.count })
      #expect(Set(keys.map(\.localID)).count == keys.count)
    }
    #expect((1000..<5000).contains(readable))
  }
}
