import CDeflate
import RespoolPlugin

/// The compression or encryption of a track's frames in the file (RFC 9559 5.1.4.1.31).
struct ContentEncoding {
  enum Method: Equatable {
    case none
    /// These bytes were removed from the start of every frame.
    case headerStripping([UInt8])
    case zlib
  }

  private(set) var method = Method.none
  /// Encoded parts, as bits: 1 frames, 2 CodecPrivate, 4 the data of the next encoding (RFC 9559 5.1.4.1.31.3).
  private var scope: UInt64 = 1
  /// The reason why frames cannot be decoded.
  ///
  /// `nil` if they can.
  private(set) var failure: MediaError?

  var changesFrames: Bool { method != .none && scope & 1 != 0 }
  var coversCodecPrivate: Bool { method != .none && scope & 2 != 0 }

  /// Maximum size of a decompressed frame in bytes; no known codec makes larger ones.
  private static let largestFrame = 64 << 20

  /// Parses a ContentEncodings element.
  mutating func read(_ element: EBMLElement) throws(MediaError) {
    var count = 0
    try element.forEachChild { (encoding) throws(MediaError) in
      guard encoding.id == .contentEncoding else { return }
      count += 1
      try readOne(encoding)
    }
    if count > 1, failure == nil {
      failure = MediaError(
        .unsupported, "the track's frames are encoded \(count) times; once is supported")
    }
  }

  private mutating func readOne(_ element: EBMLElement) throws(MediaError) {
    var type: UInt64 = 0
    var compression: EBMLElement?
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .contentEncodingScope: scope = try child.unsigned
      case .contentEncodingType: type = try child.unsigned
      case .contentCompression: compression = child
      default: break
      }
    }
    guard type == 0 else {
      failure = MediaError(
        .unsupported, "the track is encrypted", path: element.path, detail: .contentIsProtected)
      return
    }
    var algorithm: UInt64 = 0
    var settings: [UInt8] = []
    try compression?.forEachChild { (child) throws(MediaError) in
      if child.id == .contentCompAlgo { algorithm = try child.unsigned }
      if child.id == .contentCompSettings { settings = child.binary }
    }
    // ContentCompAlgo (RFC 9559 5.1.4.1.31.6).
    switch algorithm {
    case 0: method = .zlib
    case 3: method = settings.isEmpty ? .none : .headerStripping(settings)
    default:
      let name = algorithm == 1 ? "bzip2" : algorithm == 2 ? "LZO" : "method \(algorithm)"
      failure = MediaError(
        .unsupported,
        "the track is compressed with \(name); zlib and header stripping are supported",
        path: element.path)
    }
  }

  /// Returns the original bytes of a frame.
  func decode(_ bytes: ArraySlice<UInt8>) throws(MediaError) -> [UInt8] {
    switch method {
    case .none: return Array(bytes)
    case .headerStripping(let header): return header + bytes
    case .zlib: return try Self.inflate(bytes)
    }
  }

  /// Decompresses zlib data (RFC 1950).
  ///
  /// Memory is limited by the bytes present: zlib compresses at most 1032 to 1.
  private static func inflate(_ bytes: ArraySlice<UInt8>) throws(MediaError) -> [UInt8] {
    var room = min(max(256, bytes.count * 4), largestFrame)
    while true {
      var status: Int32 = -1
      let result = [UInt8](unsafeUninitializedCapacity: room) { target, count in
        count = room
        status = bytes.withUnsafeBytes {
          zlib_inflate(target.baseAddress, &count, $0.baseAddress, $0.count)
        }
      }
      if status == 0 { return result }
      guard status == 1 else {
        throw MediaError(.malformed, "a frame is not zlib data")
      }
      // With the margin for small blocks, a larger buffer cannot help.
      guard room < largestFrame, room / 1100 < bytes.count + 1 else {
        throw MediaError(
          .limitExceeded, "a frame decompresses to more than \(room) bytes")
      }
      room = min(room * 4, largestFrame)
    }
  }
}
