import RespoolPlugin

/// `mvhd`: time scale and duration of the movie (ISO/IEC 14496-12 8.2.2).
struct MovieHeaderBox: Box {
  static let type: FourCC = "mvhd"
  /// Seconds since 1904.
  ///
  /// 0 if unknown.
  var creationTime: UInt64 = 0
  var modificationTime: UInt64 = 0
  /// Units per second of the movie's times.
  var timeScale: UInt32
  /// In units of the time scale.
  ///
  /// All ones if unknown.
  var duration: UInt64
  /// Preferred playback rate, 16.16 fixed point.
  ///
  /// Default 1.0.
  var rate: Int32 = 0x10000
  /// Preferred volume, 8.8 fixed point.
  ///
  /// Default 1.0 (full).
  var volume: Int16 = 0x100
  var matrix: DisplayMatrix = .identity
  /// QuickTime's start and duration of the preview, time of the poster, start and duration of the selection, and
  /// current time.
  ///
  /// In units of the time scale.
  var displayTimes = [UInt32](repeating: 0, count: 6)
  var nextTrackID: UInt32
}

extension MovieHeaderBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    let version = try reader.versionAndFlags().version
    creationTime = try reader.number(version: version)
    modificationTime = try reader.number(version: version)
    timeScale = try reader.big()
    let length = try reader.number(version: version)
    duration = version != 1 && length == UInt32.max ? .max : length
    rate = try reader.big()
    volume = try reader.big()
    try reader.skip(10)
    matrix = try DisplayMatrix(from: &reader)
    for index in displayTimes.indices { displayTimes[index] = try reader.big() }
    nextTrackID = try reader.big()
  }

  func write(to writer: inout BoxWriter) {
    let version: UInt8 =
      max(duration, creationTime, modificationTime) > UInt32.max && duration != .max ? 1 : 0
    writer.versionAndFlags(version)
    writer.number(creationTime, version: version)
    writer.number(modificationTime, version: version)
    writer.u32(timeScale)
    writer.number(duration, version: version)
    writer.i32(rate)
    writer.i16(volume)
    writer.zeros(10)
    matrix.write(to: &writer)
    for time in displayTimes { writer.u32(time) }
    writer.u32(nextTrackID)
  }
}

extension DisplayMatrix {
  init(from reader: inout ByteReader) throws(MediaError) {
    var values: [Int32] = []
    for _ in 0..<9 { values.append(try reader.big()) }
    self.init(
      a: values[0], b: values[1], c: values[3], d: values[4], x: values[6], y: values[7],
      u: values[2], v: values[5], w: values[8])
  }

  func write(to writer: inout BoxWriter) {
    for value in [a, b, u, c, d, v, x, y, w] { writer.i32(value) }
  }
}
