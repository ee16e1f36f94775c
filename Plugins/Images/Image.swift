import RespoolPlugin

/// An image as its file describes it.
struct Image {
  /// The image as a track, with its size, color, ICC profile and orientation.
  var track: TrackDescription
  /// The coded image, without what describes it, so that it is the same in every file.
  var payload: Packet.Payload
  /// Exif data: a TIFF structure from its byte order on (CIPA DC-008, 4.5.2).
  var exif: [UInt8]?
  /// An XMP packet.
  var xmp: [UInt8]?
  /// The extension to which the XMP packet of a JPEG file refers.
  var extendedXMP: [UInt8]?
  /// Texts of the file that are not in the Exif data.
  var metadata: [MetadataEntry] = []
  /// Names of what the file holds besides and no muxer writes.
  var others: [String] = []
  var warning: String?
  var endsEarly = false

  init(_ track: TrackDescription, _ payload: Packet.Payload) {
    (self.track, self.payload) = (track, payload)
  }
}

/// A file format with one image, for reading.
protocol ImageReading {
  /// Description of the demuxer.
  static var reader: FactoryDescription { get }
  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int
  static func read(_ source: ByteSource) throws(MediaError) -> Image
}

extension ImageReading {
  /// Returns all bytes of a file.
  ///
  /// Throws `limitExceeded` for more than 1 GiB, which no image has.
  static func wholeFile(_ source: ByteSource) throws(MediaError) -> [UInt8] {
    let most = 1 << 30
    if let size = source.size, size > Int64(most) {
      throw MediaError(.limitExceeded, "an image of \(size) bytes; at most \(most) are read")
    }
    return try source.read(at: 0, count: most)
  }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    reader.score(bytes, name: name)
  }
}

/// A file format with one image, for writing.
protocol ImageWriting {
  /// Description of the muxer.
  static var writer: FactoryDescription { get }
  /// `true` if the file states its orientation outside of the Exif data.
  static var turnsByProperty: Bool { get }
  /// Returns the file of a coded image.
  ///
  /// `packet` has the bytes that the encoder or demuxer has made.
  static func file(_ image: WrittenImage, _ packet: [UInt8]) throws(MediaError) -> [UInt8]
}

extension ImageWriting {
  static var turnsByProperty: Bool { false }
}

/// An image that a muxer writes.
struct WrittenImage {
  let track: TrackDescription
  let metadata: [MetadataEntry]
  /// Exif data with the orientation and the size of the image; `nil` if there is none to write.
  let exif: [UInt8]?
  let xmp: [UInt8]?
  /// The extension to which the XMP packet of a JPEG file refers.
  let extendedXMP: [UInt8]?
  /// An ICC profile.
  let profile: [UInt8]?

  /// Takes the data from the description of a file.
  ///
  /// `storesOrientation` is `true` if readers take the orientation from the Exif data.
  init(_ media: MediaDescription, _ track: TrackDescription, storesOrientation: Bool) {
    (self.track, metadata) = (track, media.metadata)
    let orientation = storesOrientation ? ExifOrientation(track.displayMatrix) : .upright
    var data = media.sideData[.exif].flatMap { ExifData($0) }
    if data == nil, !media.metadata.isEmpty || orientation != .upright {
      data = ExifData(texts: media.metadata)
      if data?.main.isEmpty == true, orientation == .upright { data = nil }
    }
    data?.adapt(to: orientation, width: track.width, height: track.height)
    exif = data?.bytes
    xmp = media.sideData[.xmp].map { Array($0.dropFirst(SideData.xmpIdentifier.count)) }
    extendedXMP = media.sideData[.extendedXMP].map { Array($0) }
    // A profile of another color space than the image has would make it unreadable; the check of the output reports it.
    profile = track.profile.flatMap { track.pixelFormat.takes(profile: $0) ? $0 : nil }
  }
}

extension FactoryDescription {
  /// Creates the description of a demuxer or a muxer for a file format of images.
  init(
    image kind: Kind, _ name: String, _ longName: String, aliases: [String] = [],
    extensions: [String], mimeTypes: [String]
  ) {
    self.init(kind: kind, name: name, longName: longName)
    tier = .preferred
    self.aliases = aliases
    self.extensions = extensions
    self.mimeTypes = mimeTypes
  }
}
