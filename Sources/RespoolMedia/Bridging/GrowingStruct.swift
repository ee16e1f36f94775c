package import CRespool

/// A C struct of the boundary that later minor versions of the ABI extend at its end.
///
/// The other side may have been built against a shorter or a longer struct.
package protocol GrowingStruct {
  /// Size in the minor version that introduced the struct, in bytes (sizes.h).
  static var firstSize: Int { get }
}

extension GrowingStruct {
  /// Copies a struct of `size` bytes.
  ///
  /// Fields after `size` are zero. A size below the first one is taken as that.
  package static func copy(_ pointer: UnsafeRawPointer, size: Int) -> Self {
    let count = min(max(size, firstSize), MemoryLayout<Self>.size)
    return withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { room in
      let bytes = UnsafeMutableRawBufferPointer(room)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: count))
      return room[0]
    }
  }

  /// Copies an array of `count` structs that are `size` bytes apart; 0 stands for the first size.
  package static func list(_ start: UnsafePointer<Self>?, _ count: UInt32, size: UInt32) -> [Self] {
    guard let start = UnsafeRawPointer(start) else { return [] }
    let size = max(Int(size), firstSize)
    return (0..<Int(count)).map { copy(start + $0 * size, size: size) }
  }
}

/// A growing struct whose first field, a `UInt32`, is its size.
package protocol SizedStruct: GrowingStruct {}

extension SizedStruct {
  /// Copies the struct at `pointer` as far as its own size states.
  package static func copy(_ pointer: UnsafePointer<Self>) -> Self {
    let raw = UnsafeRawPointer(pointer)
    return copy(raw, size: Int(raw.load(as: UInt32.self)))
  }

  /// Copies an array of `count` structs, which all have the size that the first one states.
  package static func list(_ start: UnsafePointer<Self>?, _ count: UInt32) -> [Self] {
    list(start, count, size: start.map { UnsafeRawPointer($0).load(as: UInt32.self) } ?? 0)
  }

  /// Writes this struct to memory of the other side, no further than the size that is stated there.
  package func fill(_ target: UnsafeMutablePointer<Self>) {
    let raw = UnsafeMutableRawPointer(target)
    let stated = Int(raw.load(as: UInt32.self))
    let count = min(max(stated, Self.firstSize), MemoryLayout<Self>.size)
    withUnsafePointer(to: self) { raw.copyMemory(from: $0, byteCount: count) }
    raw.storeBytes(of: UInt32(count), as: UInt32.self)
  }
}

extension rsp_text: GrowingStruct {
  package static var firstSize: Int { rsp_text_size_1_0 }
}

extension rsp_edit: GrowingStruct {
  package static var firstSize: Int { rsp_edit_size_1_0 }
}

extension rsp_chapter: GrowingStruct {
  package static var firstSize: Int { rsp_chapter_size_1_0 }
}

extension rsp_tag: GrowingStruct {
  package static var firstSize: Int { rsp_tag_size_1_0 }
}

extension rsp_reference: GrowingStruct {
  package static var firstSize: Int { rsp_reference_size_1_0 }
}

extension rsp_option: SizedStruct {
  package static var firstSize: Int { rsp_option_size_1_0 }
}

extension rsp_muxing_track: SizedStruct {
  package static var firstSize: Int { rsp_muxing_track_size_1_3 }
}

extension rsp_media: SizedStruct {
  package static var firstSize: Int { rsp_media_size_1_0 }
}

extension rsp_track: SizedStruct {
  package static var firstSize: Int { rsp_track_size_1_0 }
}

extension rsp_packet: SizedStruct {
  package static var firstSize: Int { rsp_packet_size_1_0 }
}

extension rsp_frame: SizedStruct {
  package static var firstSize: Int { rsp_frame_size_1_0 }
}

extension rsp_error: SizedStruct {
  package static var firstSize: Int { rsp_error_size_1_0 }
}

extension rsp_source: SizedStruct {
  package static var firstSize: Int { rsp_source_size_1_0 }
}

extension rsp_sink: SizedStruct {
  package static var firstSize: Int { rsp_sink_size_1_0 }
}

extension rsp_decoder_settings: SizedStruct {
  package static var firstSize: Int { rsp_decoder_settings_size_1_0 }
}

extension rsp_encoder_settings: SizedStruct {
  package static var firstSize: Int { rsp_encoder_settings_size_1_0 }
}

extension rsp_encoding: SizedStruct {
  package static var firstSize: Int { rsp_encoding_size_1_5 }
}

extension rsp_job: SizedStruct {
  package static var firstSize: Int { rsp_job_size_1_5 }
}

extension rsp_filter_settings: SizedStruct {
  package static var firstSize: Int { rsp_filter_settings_size_1_5 }
}

extension rsp_result: SizedStruct {
  package static var firstSize: Int { rsp_result_size_1_5 }
}

extension rsp_demuxing_settings: SizedStruct {
  package static var firstSize: Int { rsp_demuxing_settings_size_1_3 }
}

extension rsp_muxing_settings: SizedStruct {
  package static var firstSize: Int { rsp_muxing_settings_size_1_3 }
}

extension rsp_demuxing: SizedStruct {
  package static var firstSize: Int { rsp_demuxing_size_1_3 }
}

extension rsp_muxing: SizedStruct {
  package static var firstSize: Int { rsp_muxing_size_1_3 }
}
