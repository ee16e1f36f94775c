import RespoolPlugin

/// The blocks of a GIF file in file order (GIF89a specification, sections 16 to 27).
struct GIFBlocks {
  /// A block, or the reason why there is none.
  enum Block {
    case image(GIFImage)
    case `extension`
    case trailer
    /// A byte that begins no block; the blocks after it cannot be found.
    case unknown(UInt8)
    /// The file ends within the block.
    case cutOff
  }

  private var window: SourceWindow
  /// `true` if the data of images is checked.
  private let checksData: Bool
  /// Offset of the next block.
  private(set) var offset: Int64

  private static let headerSize = 13

  /// Reads the header and the global color table.
  ///
  /// `nil` if the file does not begin with the header of a GIF.
  init?(_ source: ByteSource, checksData: Bool) throws(MediaError) {
    window = SourceWindow(source)
    self.checksData = checksData
    let header = Array(try window.bytes(at: 0, count: Self.headerSize))
    guard header.count == Self.headerSize, header.starts(with: Array("GIF8".utf8)) else {
      return nil
    }
    offset = Int64(Self.headerSize) + Self.tableSize(header[10])
  }

  /// Returns the size in bytes of the color table that packed fields announce in their bits 7 and 0 to 2.
  private static func tableSize(_ fields: UInt8) -> Int64 {
    fields & 0x80 == 0 ? 0 : 3 << Int64(fields & 7 + 1)
  }

  /// Reads the next block.
  mutating func next() throws(MediaError) -> Block {
    // Some writers put zeros between blocks.
    while try window.bytes(at: offset, count: 1).first == 0 { offset += 1 }
    guard let introducer = try window.bytes(at: offset, count: 1).first else { return .cutOff }
    switch introducer {
    case 0x21:
      var position = offset + 2
      while let block = try subBlock(&position) {
        guard block.isEmpty else { continue }
        offset = position
        return .extension
      }
      return .cutOff
    case 0x2C: return try image()
    case 0x3B: return .trailer
    default: return .unknown(introducer)
    }
  }

  /// Reads an image descriptor, its color table and its data.
  private mutating func image() throws(MediaError) -> Block {
    let descriptor = Array(try window.bytes(at: offset, count: 10))
    guard descriptor.count == 10 else { return .cutOff }
    func number(_ index: Int) -> Int { Int(descriptor[index]) | Int(descriptor[index + 1]) << 8 }
    var position = offset + 10 + Self.tableSize(descriptor[9])
    guard let codeSize = try window.bytes(at: position, count: 1).first else { return .cutOff }
    position += 1
    var data =
      checksData ? LZWCheck(codeSize: Int(codeSize), pixelCount: number(5) * number(7)) : nil
    while let block = try subBlock(&position) {
      guard block.isEmpty else {
        data?.take(block)
        continue
      }
      let image = GIFImage(offset: offset, problem: data?.problem)
      offset = position
      return .image(image)
    }
    return .cutOff
  }

  /// Returns the content of a sub-block, empty for the terminator; `nil` if the file ends within it.
  private mutating func subBlock(_ position: inout Int64) throws(MediaError) -> ArraySlice<UInt8>? {
    guard let size = try window.bytes(at: position, count: 1).first else { return nil }
    let block = try window.bytes(at: position + 1, count: Int(size))
    guard block.count == Int(size) else { return nil }
    position += 1 + Int64(size)
    return block
  }
}

/// An image of a GIF file.
struct GIFImage {
  /// Offset of its descriptor.
  var offset: Int64
  /// Damage of its data as the end of a sentence that begins with the image; `nil` if there is none.
  var problem: String?
}
