import RespoolPlugin

/// Settings of one track in the option `tracks`: `key=value` pairs joined by commas, tracks joined by
/// semicolons.
///
///     time-scale=600,volume=0.5,group=1,size=640x480,chunk=0.5,align=4096,first=true,ref=chap:2
struct TrackOptions: Hashable, Sendable {
  /// Units per second of the track's times.
  var timeScale: Int64?
  /// 8.8 fixed point.
  ///
  /// 1.0 leaves the volume unchanged.
  var volume: Int16?
  /// `nil` to enable the track if its description says so, or if it is the first of its kind.
  var isEnabled: Bool?
  /// Alternate group: tracks with the same number are alternatives to each other.
  var alternateGroup: Int16?
  /// 16.16 fixed point.
  var width: UInt32?
  var height: UInt32?
  /// Duration of a chunk in seconds.
  var chunkSeconds: Double?
  /// Chunk alignment in bytes: chunks begin at multiples of it.
  ///
  /// Default 1.
  var chunkAlignment: Int64 = 1
  /// `true` to store the pending media of this track before that of other tracks.
  var isFirst = false
  /// References to other tracks, by their index in the media.
  var references: [Reference] = []

  struct Reference: Hashable, Sendable {
    var type: FourCC
    var track: Int
  }

  /// Returns one entry for each of `count` tracks.
  static func parse(_ text: String, count: Int) throws(MediaError) -> [TrackOptions] {
    var all = Array(repeating: TrackOptions(), count: count)
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count <= count || text.isEmpty else {
      throw MediaError(
        .invalidArgument, "the option tracks describes \(parts.count) tracks; there are \(count)")
    }
    for (index, part) in parts.enumerated() where index < count {
      for word in part.split(separator: ",") {
        let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard pair.count == 2, all[index].set(pair[0], pair[1]) else {
          throw MediaError(
            .invalidArgument, "the option tracks has \"\(word)\", which is not valid")
        }
      }
    }
    return all
  }

  private mutating func set(_ name: String, _ value: String) -> Bool {
    switch name {
    case "time-scale":
      timeScale = Int64(value)
      return timeScale.map { (1...Int64(Int32.max)).contains($0) } ?? false
    case "volume":
      guard let number = Double(value), (0...127).contains(number) else { return false }
      volume = Int16((number * 256).rounded())
    case "group":
      alternateGroup = Int16(value)
      return alternateGroup != nil
    case "size":
      let sides = value.split(separator: "x").compactMap { Double($0) }
      guard sides.count == 2, sides.allSatisfy({ (0...65535).contains($0) }) else { return false }
      (width, height) = (UInt32(sides[0] * 65536), UInt32(sides[1] * 65536))
    case "chunk":
      chunkSeconds = Double(value)
      return chunkSeconds.map { (0...3600).contains($0) } ?? false
    case "align":
      guard let bytes = Int64(value), (1...ChunkAlignment.largest).contains(bytes) else {
        return false
      }
      chunkAlignment = bytes
    case "enabled": isEnabled = value == "true"
    case "first": isFirst = value == "true"
    case "ref":
      let parts = value.split(separator: ":")
      guard parts.count == 2, parts[0].utf8.count == 4, let track = Int(parts[1]), track >= 0 else {
        return false
      }
      references.append(Reference(type: FourCC(String(parts[0])), track: track))
    default: return false
    }
    return true
  }
}
