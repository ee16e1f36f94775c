import RespoolPlugin

/// The directories of a TIFF file (TIFF 6.0, section 2).
struct TIFFFile {
  /// The whole file.
  let data: ExifData
  /// Directories that follow one another, at least one.
  private(set) var directories: [Directory] = []
  /// Index of the directory of the image: the first that is not a reduced one.
  let main: Int

  /// A directory with the place where it begins.
  struct Directory {
    let place: Int
    let fields: [UInt16: ExifData.Field]
  }

  /// More directories than any scanner writes.
  private static let mostDirectories = 1 << 16

  /// Reads the directories.
  ///
  /// Throws `unsupported` for raw photos and BigTIFF, and `malformed` if the first directory is damaged.
  init(_ bytes: [UInt8]) throws(MediaError) {
    if Self.rawStarts.contains(where: { bytes.starts(with: $0) }) { throw Self.raw }
    if bytes.dropFirst(8).starts(with: Array("CR".utf8)) { throw Self.raw }
    guard !bytes.starts(with: [0x49, 0x49, 43]), !bytes.starts(with: [0x4D, 0x4D, 0, 43]) else {
      throw MediaError(.unsupported, "a BigTIFF file; only TIFF files up to 4 GiB can be read")
    }
    guard let data = ExifData(bytes), let first = data.number(at: 4, size: 4) else {
      throw MediaError(
        .malformed, "the directory of the image lies outside of the file: it was cut off",
        offset: 4, detail: .endsEarly)
    }
    var (next, places) = (first, Set<Int>())
    while next != 0, places.insert(next).inserted, places.count <= Self.mostDirectories,
      let found = data.fields(at: next)
    {
      directories.append(Directory(place: next, fields: found.fields))
      next = data.number(at: found.end, size: 4) ?? 0
    }
    self.data = data
    main = directories.firstIndex { !Self.isReduced($0, data) } ?? 0
    if isRaw { throw Self.raw }
  }

  var image: [UInt16: ExifData.Field] { directories[main].fields }

  // MARK: Raw photos

  /// The starts of files of Olympus and Panasonic.
  static let rawStarts: [[UInt8]] = ["IIRO", "IIRS", "MMOR", "IIU\0"].map { Array($0.utf8) }

  private static var raw: MediaError {
    MediaError(
      .unsupported,
      "a raw photo of a camera, which is not an image yet; develop it first with a program for raw photos"
    )
  }

  /// `true` if the file has the values of a camera's sensor: a color filter array or linear raw values (TIFF/EP 4.1.1;
  /// Digital Negative specification).
  private var isRaw: Bool {
    directories.contains { $0.fields[TIFFTag.digitalNegative] != nil }
      || (directories + subDirectories).contains {
        [32_803, 34_892].contains(data.integer($0.fields[TIFFTag.photometric]))
      }
  }

  /// Directories that others refer to.
  private var subDirectories: [Directory] {
    directories.prefix(16).flatMap { directory in
      data.integers(directory.fields[TIFFTag.subDirectories], most: 64).compactMap { place in
        data.fields(at: place).map { Directory(place: place, fields: $0.fields) }
      }
    }
  }

  // MARK: Images

  private static func isReduced(_ directory: Directory, _ data: ExifData) -> Bool {
    (data.integer(directory.fields[TIFFTag.newSubfileType]) ?? 0) & 5 != 0
  }

  /// Number of images besides the main one, without reduced ones and masks.
  var furtherImageCount: Int {
    (directories + subDirectories).count { !Self.isReduced($0, data) }
      - (Self.isReduced(directories[main], data) ? 0 : 1)
  }

  /// End of the coded image in the file, in bytes; `nil` if it is unknown.
  var imageEnd: Int? {
    let fields = image
    let isTiled = fields[TIFFTag.tileOffsets] != nil
    let places = data.integers(fields[isTiled ? TIFFTag.tileOffsets : TIFFTag.stripOffsets])
    let counts = data.integers(fields[isTiled ? TIFFTag.tileByteCounts : TIFFTag.stripByteCounts])
    guard !places.isEmpty, places.count == counts.count else { return nil }
    return zip(places, counts).map { $0 + $1 }.max()
  }

  /// Format that holds the decoded image; `none` if that varies.
  var pixelFormat: PixelFormat {
    let fields = image
    let depths = data.integers(fields[TIFFTag.bitsPerSample], most: 8)
    let count = data.integer(fields[TIFFTag.samplesPerPixel]) ?? 1
    let isInteger = (data.integer(fields[TIFFTag.sampleFormat]) ?? 1) == 1
    guard let depth = depths.first, isInteger, depths.allSatisfy({ $0 == depth }) else {
      return .none
    }
    switch (data.integer(fields[TIFFTag.photometric]), count, depth) {
    case (0, 1, 8), (1, 1, 8): return .gray
    case (0, 1, 16), (1, 1, 16): return .gray16le
    case (0, 2, 8), (1, 2, 8): return .ya8
    case (0, 2, 16), (1, 2, 16): return .ya16le
    case (2, 3, 8), (5, 4, 8): return .rgb24
    case (2, 3, 16): return .rgb48le
    case (2, 4, 8): return .rgba
    case (2, 4, 16): return .rgba64le
    case (3, 1, _): return .rgb24
    default: return .none
    }
  }
}
