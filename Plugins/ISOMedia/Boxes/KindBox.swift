import RespoolPlugin

/// `kind`: the role of a track in a given scheme (ISO/IEC 14496-12 8.10.4).
struct KindBox: Box {
  static let type: FourCC = "kind"
  var scheme: String
  var value: String
}

extension KindBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    scheme = try Self.text(&reader)
    value = try Self.text(&reader)
  }

  private static func text(_ reader: inout ByteReader) throws(MediaError) -> String {
    var bytes: [UInt8] = []
    while case let byte = try reader.u8(), byte != 0 { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    for text in [scheme, value] {
      writer.raw(text.utf8)
      writer.u8(0)
    }
  }
}

extension KindBox {
  /// The role scheme of ISO/IEC 23009-1 5.8.5.5, which FFmpeg reads and writes too.
  private static let roleScheme = "urn:mpeg:dash:role:2011"

  private static let roles: [(value: String, disposition: TrackDescription.Disposition)] = [
    ("caption", .hearingImpaired), ("commentary", .commentary), ("description", .visualImpaired),
    ("forced-subtitle", .forced),
  ]

  /// Returns a box for each role among the dispositions of a track.
  static func roles(of disposition: TrackDescription.Disposition) -> [KindBox] {
    roles.filter { disposition.contains($0.disposition) }.map {
      KindBox(scheme: roleScheme, value: $0.value)
    }
  }

  /// The box as side data of its track.
  var record: SideData {
    var writer = BoxWriter()
    write(to: &writer)
    return SideData(.trackRole, writer.bytes)
  }

  /// Returns the boxes among the side data of a track.
  static func boxes(in sideData: [SideData]) -> [KindBox] {
    sideData.filter { $0.type == .trackRole }.compactMap { record in
      var reader = ByteReader(record.bytes)
      return try? KindBox(from: &reader)
    }
  }

  /// The disposition for the role.
  ///
  /// Empty for other roles and schemes.
  ///
  /// Some writers spell forced subtitles with an underscore.
  var disposition: TrackDescription.Disposition {
    guard scheme == Self.roleScheme else { return [] }
    let value = value == "forced_subtitle" ? "forced-subtitle" : value
    return Self.roles.first { $0.value == value }?.disposition ?? []
  }
}
