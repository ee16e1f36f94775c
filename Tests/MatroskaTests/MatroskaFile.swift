import PluginHost
import RespoolPlugin

@testable import Matroska

/// A Matroska file built element by element, with variants that the muxer does not write.
struct MatroskaFile {
  var tracks: [(inout EBMLWriter) -> Void] = []
  /// Elements of the segment before the clusters.
  var front: (inout EBMLWriter) -> Void = { _ in }
  /// Payloads of the clusters, without their timestamps.
  var clusters: [(time: Int, blocks: (inout EBMLWriter) -> Void)] = []
  var hasUnknownSizes = false
  /// Duration of the segment.
  ///
  /// Milliseconds. `nil` if not stored.
  var duration: Double?

  static let unknownSize: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]

  var bytes: [UInt8] {
    var segment = EBMLWriter()
    segment.master(.info) { info in
      info.unsigned(.timestampScale, 1_000_000)
      if let duration { info.float(.duration, duration) }
    }
    segment.master(.tracks) { entries in
      for track in tracks { entries.master(.trackEntry, track) }
    }
    front(&segment)
    for cluster in clusters {
      var payload = EBMLWriter()
      payload.unsigned(.timestamp, cluster.time)
      cluster.blocks(&payload)
      if hasUnknownSizes {
        segment.identifier(.cluster)
        segment.append(Self.unknownSize)
        segment.append(payload.bytes)
      } else {
        segment.binary(.cluster, payload.bytes)
      }
    }
    var file = EBMLWriter()
    file.append(SegmentHead.header(isWebM: false))
    file.identifier(.segment)
    file.append(hasUnknownSizes ? Self.unknownSize : EBMLWriter.size(segment.count, length: 8))
    file.append(segment.bytes)
    return file.bytes
  }

  func open() throws -> OpenDemuxer { try Self.open(bytes) }

  static func open(_ bytes: [UInt8]) throws -> OpenDemuxer {
    try OpenDemuxer(
      try LoadedPlugin("Matroska"), "matroska", MemoryFile(bytes, name: "test.mkv"))
  }

  // MARK: Parts

  /// Returns a VP8 video track at 25 frames per second.
  static func video(
    _ number: Int = 1, _ more: @escaping (inout EBMLWriter) -> Void = { _ in }
  ) -> (inout EBMLWriter) -> Void {
    { entry in
      entry.unsigned(.trackNumber, number)
      entry.unsigned(.trackUID, number)
      entry.unsigned(.trackType, 1)
      entry.unsigned(.defaultDuration, 40_000_000)
      entry.text(.codecID, "V_VP8")
      entry.master(.video) { video in
        video.unsigned(.pixelWidth, 64)
        video.unsigned(.pixelHeight, 48)
      }
      more(&entry)
    }
  }

  /// Returns a mono track of 16-bit PCM.
  static func audio(_ number: Int, rate: Double = 48000) -> (inout EBMLWriter) -> Void {
    { entry in
      entry.unsigned(.trackNumber, number)
      entry.unsigned(.trackUID, number)
      entry.unsigned(.trackType, 2)
      entry.text(.codecID, "A_PCM/INT/LIT")
      entry.master(.audio) { audio in
        audio.float(.samplingFrequency, rate)
        audio.unsigned(.channels, 1)
        audio.unsigned(.bitDepth, 16)
      }
    }
  }

  /// Returns a SimpleBlock.
  ///
  /// `lacing` is 0 for none, 1 for Xiph, 2 for fixed size and 3 for EBML. `payload` begins with the sizes.
  static func block(
    _ track: Int = 1, _ time: Int, key: Bool = true, lacing: UInt8 = 0, _ payload: [UInt8]
  ) -> [UInt8] {
    let relative = UInt16(bitPattern: Int16(time))
    return EBMLWriter.size(track) + [
      UInt8(relative >> 8), UInt8(relative & 0xFF), (key ? 0x80 : 0) | lacing << 1,
    ] + payload
  }
}
