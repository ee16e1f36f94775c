/// A timecode of SMPTE ST 12-1, which counts the frames of a recording: hours, minutes, seconds and frames.
public struct Timecode: Hashable, Sendable, CustomStringConvertible {
  public var hours: Int
  public var minutes: Int
  public var seconds: Int
  public var frames: Int
  /// `true` if frame numbers are skipped to follow the clock at 29.97 frames per second.
  public var isDropFrame: Bool

  public init(hours: Int, minutes: Int, seconds: Int, frames: Int, isDropFrame: Bool = false) {
    (self.hours, self.minutes, self.seconds) = (hours, minutes, seconds)
    (self.frames, self.isDropFrame) = (frames, isDropFrame)
  }

  /// Creates the timecode of frame `number` after 00:00:00:00 at a nominal rate.
  ///
  /// `nil` if a number is not positive.
  public init?(frame number: Int64, framesPerSecond rate: Int64, isDropFrame: Bool) {
    guard number >= 0, rate > 0, rate < 1000 else { return nil }
    var number = number % (24 * 3600 * rate)
    if isDropFrame, rate.isMultiple(of: 30) {
      // Two of 30 numbers are skipped in each minute except the tenth.
      let (skipped, perMinute) = (rate / 15, rate * 60 - rate / 15)
      let (tens, rest) = number.quotientAndRemainder(dividingBy: perMinute * 10 + skipped)
      number += 9 * skipped * tens
      if rest >= skipped { number += skipped * ((rest - skipped) / perMinute) }
    }
    let clock = Int(number / rate)
    self.init(
      hours: clock / 3600 % 24, minutes: clock / 60 % 60, seconds: clock % 60,
      frames: Int(number % rate), isDropFrame: isDropFrame)
  }

  /// Creates the timecode of 25 bits in a group of pictures header (ISO/IEC 13818-2 6.3.8).
  public init(groupOfPictures code: UInt32) {
    self.init(
      hours: Int(code >> 19 & 0x1F), minutes: Int(code >> 13 & 0x3F),
      seconds: Int(code >> 6 & 0x3F),
      frames: Int(code & 0x3F), isDropFrame: code >> 24 & 1 == 1)
  }

  /// Creates the first timecode of side data of the type ``FourCC/timecodes``.
  ///
  /// `nil` if there is none.
  public init?(sideData bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let count = try? reader.little(UInt32.self), count > 0,
      let code = try? reader.little(UInt32.self)
    else { return nil }
    func number(at place: UInt32, tens: UInt32) -> Int {
      Int(code >> (place + 4) & tens) * 10 + Int(code >> place & 0xF)
    }
    self.init(
      hours: number(at: 0, tens: 3), minutes: number(at: 8, tens: 7),
      seconds: number(at: 16, tens: 7), frames: number(at: 24, tens: 3),
      isDropFrame: code >> 30 & 1 == 1)
  }

  /// Side data of a frame with this timecode.
  public var sideData: SideData {
    func digits(_ value: Int, at place: UInt32) -> UInt32 {
      UInt32(truncatingIfNeeded: (value / 10) << 4 | value % 10) << place
    }
    let code =
      digits(hours, at: 0) | digits(minutes, at: 8) | digits(seconds, at: 16)
      | digits(frames % 40, at: 24) | (isDropFrame ? 1 << 30 : 0)
    return SideData(
      .timecodes, [1, code].flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) })
  }

  /// `true` for 00:00:00:00.
  public var isZero: Bool { hours == 0 && minutes == 0 && seconds == 0 && frames == 0 }

  /// Text as in FFmpeg, with a semicolon before the frames if numbers are skipped.
  public var description: String {
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(two(hours)):\(two(minutes)):\(two(seconds))\(isDropFrame ? ";" : ":")\(two(frames))"
  }
}
