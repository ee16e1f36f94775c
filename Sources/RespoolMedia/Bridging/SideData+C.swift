import CRespool

/// The form in which the plugin boundary passes side data: an array of pointers and its count.
typealias SideDataList = UnsafePointer<UnsafePointer<rsp_side_data>?>

extension [SideData] {
  /// Copies the C form.
  init(_ list: SideDataList?, _ count: UInt32) {
    guard let list else {
      self = []
      return
    }
    self = (0..<Int(count)).compactMap { index in
      list[index].map { record in
        SideData(
          FourCC(rawValue: record.pointee.type.byteSwapped),
          Array<UInt8>(
            UnsafeBufferPointer(start: record.pointee.data, count: record.pointee.size)))
      }
    }
  }

  /// Makes the C form, which lives as long as `arena`; `nil` for an empty list.
  func cValue(in arena: CArena) -> SideDataList? {
    arena.array(
      map { record in
        Optional(
          UnsafePointer(
            arena.box(
              rsp_side_data(
                struct_size: structSize(rsp_side_data.self), type: record.type.tag,
                data: arena.bytes(record.bytes), size: record.bytes.count))))
      })
  }
}
