import RespoolPlugin

/// SEI messages (ITU-T H.265 annex D) that the encoder adds to coded frames.
///
/// x265 writes those of HDR10 only into the headers of the stream, but they apply to one coded video sequence: every
/// key frame needs them (D.3.28, D.3.35). x265's own copies of user data overflow if a later frame has more (3.5).
struct SupplementalInformation {
  private enum PayloadType {
    static let registered: UInt8 = 4
    static let unregistered: UInt8 = 5
    static let masteringDisplay: UInt8 = 137
    static let contentLightLevel: UInt8 = 144
  }

  private var display: [UInt8]?
  private var level: [UInt8]?

  init(_ sideData: [SideData]) { update(sideData) }

  /// Takes mastering display and light levels, which apply from the next key frame on.
  mutating func update(_ sideData: [SideData]) {
    if let found = sideData[.masteringDisplay].flatMap({ MasteringDisplay($0) }) {
      display = found.bytes
    }
    if let found = sideData[.contentLightLevel].flatMap({ ContentLightLevel($0) }) {
      level = found.bytes
    }
  }

  /// The units of a key frame, each after its length.
  var keyFrameUnits: [UInt8] {
    (display.map { Self.unit(PayloadType.masteringDisplay, $0) } ?? [])
      + (level.map { Self.unit(PayloadType.contentLightLevel, $0) } ?? [])
  }

  /// Returns the units of user data of one frame: captions, HDR10+ and others of ITU-T T.35.
  static func userData(_ sideData: [SideData]) -> [UInt8] {
    sideData.filter { $0.type == .registeredUserData && !$0.bytes.isEmpty }
      .flatMap { unit(PayloadType.registered, $0.bytes) }
  }

  /// Returns the unit of Dolby Vision of one frame, after its length, which is the last one of the frame.
  static func dolbyVision(_ sideData: [SideData]) -> [UInt8] {
    guard let payload = sideData[.dolbyVisionUnit], !payload.isEmpty else { return [] }
    return UInt32(payload.count + 2).bigEndianBytes + [62 << 1, 1] + payload
  }

  /// Returns x265's message with its version and options without those that depend on the machine.
  ///
  /// `unit` is the NAL unit with the message. `nil` if it has another message.
  static func identification(_ unit: some Collection<UInt8>) -> [UInt8]? {
    let payload = AnnexB.rawPayload(unit).dropFirst(2)
    guard payload.first == PayloadType.unregistered else { return nil }
    var body = payload.dropFirst()
    var size = 0
    while let byte = body.popFirst() {
      size += Int(byte)
      if byte != 0xFF { break }
    }
    let identifierSize = 16
    guard size > identifierSize, size <= body.count else { return nil }
    let text = String(decoding: body.prefix(size).dropFirst(identifierSize), as: UTF8.self)
    let words = text.split(separator: " ", omittingEmptySubsequences: false).filter { word in
      !["cpuid=", "numa-pools="].contains { word.hasPrefix($0) }
    }
    return Self.unit(
      PayloadType.unregistered,
      body.prefix(identifierSize) + Array(words.joined(separator: " ").utf8))
  }

  /// Returns a prefix SEI unit with one message, after its length.
  private static func unit(_ type: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
    var message: [UInt8] = [type]
    message += [UInt8](repeating: 0xFF, count: payload.count / 255)
    message.append(UInt8(payload.count % 255))
    message += payload
    message.append(0x80)
    // Type 39, layer 0, temporal level 0 (7.3.1.2); then emulation prevention (7.4.2).
    var unit: [UInt8] = [39 << 1, 1]
    var zeros = 0
    for byte in message {
      if zeros >= 2, byte <= 3 {
        unit.append(3)
        zeros = 0
      }
      unit.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return UInt32(unit.count).bigEndianBytes + unit
  }
}
