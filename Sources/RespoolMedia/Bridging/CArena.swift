public import CRespool

/// Memory for C structs and strings, all of which is freed with the arena.
package final class CArena {
  /// Minor version of the ABI that the side which reads the structs was built with.
  private let minor: UInt32
  private var blocks: [UnsafeMutableRawPointer] = []

  /// Creates an arena for structs that a side with this minor version of the ABI reads.
  package init(readerMinor minor: UInt32 = UInt32(RSP_ABI_MINOR)) { self.minor = minor }

  deinit { for block in blocks { block.deallocate() } }

  /// Copies text as zero-terminated UTF-8.
  ///
  /// Zeros at the end are left out. One inside would end the text there, and becomes U+FFFD.
  package func string(_ text: String) -> UnsafePointer<CChar> {
    var text = text
    if text.utf8.contains(0) {
      while text.unicodeScalars.last == "\0" { text.unicodeScalars.removeLast() }
      text = text.replacing("\0", with: "\u{FFFD}")
    }
    return text.withUTF8 { utf8 in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count + 1)
      blocks.append(UnsafeMutableRawPointer(copy))
      for index in utf8.indices { copy[index] = CChar(bitPattern: utf8[index]) }
      copy[utf8.count] = 0
      return UnsafePointer(copy)
    }
  }

  /// Copies text as zero-terminated UTF-8; `nil` for `nil`.
  package func string(_ text: String?) -> UnsafePointer<CChar>? {
    guard let text else { return nil }
    let copy: UnsafePointer<CChar> = string(text)
    return copy
  }

  /// Copies the elements, which must be trivial; `nil` for an empty array.
  package func array<T>(_ elements: [T]) -> UnsafePointer<T>? {
    guard !elements.isEmpty else { return nil }
    let copy = UnsafeMutablePointer<T>.allocate(capacity: elements.count)
    blocks.append(UnsafeMutableRawPointer(copy))
    for (index, element) in elements.enumerated() { (copy + index).initialize(to: element) }
    return UnsafePointer(copy)
  }

  /// Copies the bytes and adds a zero, so that the pointer is valid for an empty array too.
  package func bytes(_ bytes: [UInt8]) -> UnsafePointer<UInt8> {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 1)
    blocks.append(UnsafeMutableRawPointer(copy))
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    copy[bytes.count] = 0
    return UnsafePointer(copy)
  }

  /// Copies one trivial value to a stable address.
  package func box<T>(_ value: T) -> UnsafeMutablePointer<T> {
    let copy = UnsafeMutablePointer<T>.allocate(capacity: 1)
    blocks.append(UnsafeMutableRawPointer(copy))
    copy.initialize(to: value)
    return copy
  }

  /// Copies strings to a list that a null pointer ends; `nil` for an empty array.
  package func strings(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?>? {
    guard !texts.isEmpty else { return nil }
    return array(texts.map { Optional(string($0) as UnsafePointer<CChar>) } + [nil])
  }

  package func texts(_ entries: [MetadataEntry]) -> (start: UnsafePointer<rsp_text>?, size: UInt32)
  {
    list(entries.map { rsp_text(name: string($0.name), value: string($0.value)) })
  }

  /// Copies structs that later minor versions extend, and returns the distance of two elements in bytes.
  ///
  /// A reader from before 1.4 knows no distance and gets elements of the first size.
  package func list<T: GrowingStruct>(_ elements: [T]) -> (start: UnsafePointer<T>?, size: UInt32) {
    guard minor < 4, T.firstSize < MemoryLayout<T>.size else {
      return (array(elements), UInt32(MemoryLayout<T>.stride))
    }
    guard !elements.isEmpty else { return (nil, UInt32(T.firstSize)) }
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: elements.count * T.firstSize, alignment: MemoryLayout<T>.alignment)
    blocks.append(bytes)
    for (index, element) in elements.enumerated() {
      let place = bytes + index * T.firstSize
      withUnsafePointer(to: element) { place.copyMemory(from: $0, byteCount: T.firstSize) }
      if T.self is any SizedStruct.Type {
        place.storeBytes(of: UInt32(T.firstSize), as: UInt32.self)
      }
    }
    return (UnsafePointer(bytes.assumingMemoryBound(to: T.self)), UInt32(T.firstSize))
  }
}

/// The size of a struct as its `struct_size` field has it.
package func structSize<T>(_: T.Type) -> UInt32 { UInt32(MemoryLayout<T>.size) }

/// The strings of a list that a null pointer ends.
package func strings(_ list: UnsafePointer<UnsafePointer<CChar>?>?) -> [String] {
  guard var next = list else { return [] }
  var texts: [String] = []
  while let text = next.pointee {
    texts.append(String(cString: text))
    next += 1
  }
  return texts
}

/// Returns the named texts of a C list whose elements are `size` bytes apart.
package func entries(
  _ list: UnsafePointer<rsp_text>?, _ count: UInt32, size: UInt32
) -> [MetadataEntry] {
  rsp_text.list(list, count, size: size).map {
    MetadataEntry(String(cString: $0.name), String(cString: $0.value))
  }
}

extension rsp_options {
  /// The options in a form for C, living as long as `arena`.
  package init(_ options: [PluginOption], in arena: CArena) {
    let values = arena.texts(options.map { MetadataEntry($0.name, $0.value) })
    self.init(count: UInt32(options.count), value_size: values.size, values: values.start)
  }

  package var swiftValue: [PluginOption] {
    entries(values, count, size: value_size).map { PluginOption($0.name, $0.value) }
  }
}

/// `RSP_NO_TIME` to nil.
@inlinable package func time(_ value: Int64) -> Int64? { value == .min ? nil : value }

extension Rational {
  @inlinable package init(_ value: rsp_rational) { self.init(value.num, value.den) }
  @inlinable package var cValue: rsp_rational { rsp_rational(num: numerator, den: denominator) }
}

extension ColorDescription {
  package init(_ value: rsp_color) {
    self.init(
      primaries: value.primaries, transfer: value.transfer, matrix: value.matrix,
      range: Range(rawValue: value.range) ?? .unspecified,
      chromaLocation: ChromaLocation(rawValue: value.chroma_location) ?? .unspecified)
  }

  package var cValue: rsp_color {
    rsp_color(
      primaries: primaries, transfer: transfer, matrix: matrix, range: range.rawValue,
      chroma_location: chromaLocation.rawValue, reserved: (0, 0, 0))
  }
}
