package import CRespool

/// A C struct of the boundary that later versions extend at its end and whose first field is its size.
package protocol ExtensibleStruct {
  /// The size in bytes that the struct had in ABI 1.0.
  static var firstSize: Int { get }
}

extension ExtensibleStruct {
  /// Copies the struct at `pointer` as far as its own size says; later fields are zero.
  ///
  /// The other side of the boundary may have been built against a shorter or a longer struct.
  package static func copy(_ pointer: UnsafePointer<Self>) -> Self {
    let stated = Int(UnsafeRawPointer(pointer).load(as: UInt32.self))
    let count = min(max(stated, firstSize), MemoryLayout<Self>.size)
    return withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { room in
      let bytes = UnsafeMutableRawBufferPointer(room)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: count))
      return room[0]
    }
  }

  /// Writes this struct to memory of the other side, no further than the size that is stated there.
  package func fill(_ target: UnsafeMutablePointer<Self>) {
    let size = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt32.self)
    let count = min(max(Int(size.pointee), Self.firstSize), MemoryLayout<Self>.size)
    withUnsafePointer(to: self) {
      UnsafeMutableRawPointer(target).copyMemory(from: $0, byteCount: count)
    }
    size.pointee = UInt32(count)
  }
}

extension rsp_media: ExtensibleStruct {
  package static var firstSize: Int { MemoryLayout<Self>.offset(of: \.tags) ?? 0 }
}

extension rsp_track: ExtensibleStruct {
  package static var firstSize: Int { MemoryLayout<Self>.offset(of: \.further_formats) ?? 0 }
}

extension rsp_encoder_settings: ExtensibleStruct {
  package static var firstSize: Int { MemoryLayout<Self>.offset(of: \.flags) ?? 0 }
}

extension rsp_demuxing_settings: ExtensibleStruct {
  package static var firstSize: Int { MemoryLayout<Self>.size }
}

extension rsp_muxing_settings: ExtensibleStruct {
  package static var firstSize: Int { MemoryLayout<Self>.size }
}

extension rsp_packet: ExtensibleStruct {
  package static var firstSize: Int { MemoryLayout<Self>.offset(of: \.format) ?? 0 }
}

extension rsp_frame: ExtensibleStruct {
  package static var firstSize: Int { MemoryLayout<Self>.offset(of: \.side_data) ?? 0 }
}
