import RespoolMedia

/// The content of a source and its output as far as a page about many files shows it.
public struct FileDetails: Sendable {
  /// Frame size and codec of the first video track, or codec of the first audio track.
  public struct Track: Hashable, Sendable {
    public var width: Int
    public var height: Int
    public var codec: String

    public init(width: Int, height: Int, codec: String) {
      (self.width, self.height, self.codec) = (width, height, codec)
    }
  }

  /// A setting of the output, and why it is so.
  public struct Setting: Hashable, Sendable {
    public var name: String
    public var value: String
    public var reason: String

    public init(name: String, value: String, reason: String) {
      (self.name, self.value, self.reason) = (name, value, reason)
    }
  }

  public var settings: [Setting] = []
  /// Duration of the output in seconds, or that of the source if the output states none; `nil` for still images, and if it is unknown.
  public var duration: Double?
  public var before: Track?
  public var after: Track?
  /// JPEG files with frames of the source and of the output at the same time.
  public var pictureBefore: [UInt8]?
  public var pictureAfter: [UInt8]?
  var hasPicture: Bool { pictureBefore != nil || pictureAfter != nil }
  /// Peaks of the output's audio, from 0 to 100; empty if it has none.
  public var waveform: [Int] = []

  public init() {}

  /// Maximum number of settings and of peaks, and of bytes of a picture.
  private static let (mostSettings, mostPeaks, greatestPicture) = (256, 200, 40 << 10)

  /// One line for each property, as a process sends them.
  public var lines: [[UInt8]] {
    var lines: [[UInt8]] = []
    func put(_ kind: Kind, _ body: (inout MessageFields) -> Void) {
      var fields = MessageFields()
      fields.put(kind.rawValue)
      body(&fields)
      lines.append(fields.line)
    }
    for setting in settings.prefix(Self.mostSettings) {
      put(.setting) { fields in
        for text in [setting.name, setting.value, setting.reason] { fields.put(text) }
      }
    }
    if let duration { put(.duration) { $0.put(duration) } }
    for (kind, track) in [(Kind.before, before), (.after, after)] {
      guard let track else { continue }
      put(kind) { fields in
        fields.put(track.width)
        fields.put(track.height)
        fields.put(track.codec)
      }
    }
    for (kind, picture) in [(Kind.pictureBefore, pictureBefore), (.pictureAfter, pictureAfter)] {
      guard let picture, picture.count <= Self.greatestPicture else { continue }
      put(kind) { $0.put(Base64.text(picture)) }
    }
    if !waveform.isEmpty {
      put(.waveform) { fields in for peak in waveform.prefix(Self.mostPeaks) { fields.put(peak) } }
    }
    return lines
  }

  private enum Kind: String {
    case setting, duration, before, after, pictureBefore, pictureAfter, waveform
  }

  /// Takes a line of a process; one that a file has taken over may send anything.
  mutating func take(_ line: [UInt8]) {
    var fields = MessageFields(line: line)
    switch fields.text().flatMap(Kind.init) {
    case .setting:
      guard settings.count < Self.mostSettings, let name = fields.text(),
        let value = fields.text(), let reason = fields.text()
      else { return }
      settings.append(Setting(name: name, value: value, reason: reason))
    case .duration:
      if let value: Double = fields.value(), value.isFinite, value >= 0 { duration = value }
    case .before: before = Track(&fields)
    case .after: after = Track(&fields)
    case .pictureBefore: pictureBefore = Self.picture(&fields)
    case .pictureAfter: pictureAfter = Self.picture(&fields)
    case .waveform:
      waveform = []
      while waveform.count < Self.mostPeaks, let peak: Int = fields.value() {
        waveform.append(max(0, min(peak, 100)))
      }
    case nil: return
    }
  }

  private static func picture(_ fields: inout MessageFields) -> [UInt8]? {
    guard let bytes = fields.text().flatMap(Base64.bytes), bytes.count <= greatestPicture,
      // Start of image of a JPEG file (ITU-T T.81, B.1.1.3).
      bytes.starts(with: [0xFF, 0xD8])
    else { return nil }
    return bytes
  }
}

extension FileDetails.Track {
  init?(_ fields: inout MessageFields) {
    guard let width: Int = fields.value(), let height: Int = fields.value(),
      (0...65_536).contains(width), (0...65_536).contains(height), let codec = fields.text()
    else { return nil }
    self.init(width: width, height: height, codec: codec)
  }
}

/// Bytes as text (RFC 4648, 4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let value = (0..<3).reduce(0) {
        $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0)
      }
      for index in 0..<4 {
        text.append(
          index <= part.count
            ? alphabet[value >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text; `nil` if it is none of this form.
  static func bytes(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    var (value, count, padding) = (0, 0, 0)
    for letter in text.utf8 {
      if letter == UInt8(ascii: "=") {
        padding += 1
        value <<= 6
      } else {
        guard padding == 0, let digit = alphabet.firstIndex(of: letter) else { return nil }
        value = value << 6 | digit
      }
      count += 1
      guard count == 4 else { continue }
      guard padding < 3 else { return nil }
      for index in 0..<(3 - padding) {
        bytes.append(UInt8(truncatingIfNeeded: value >> (16 - 8 * index)))
      }
      (value, count) = (0, 0)
    }
    return bytes
  }
}
