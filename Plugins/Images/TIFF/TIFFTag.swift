/// Numbers of the fields of TIFF files that are used (TIFF 6.0, section 8, and its supplements).
enum TIFFTag {
  /// Bit 0: a reduced image, bit 2: a mask.
  static let newSubfileType: UInt16 = 254
  static let width: UInt16 = 256
  static let height: UInt16 = 257
  static let bitsPerSample: UInt16 = 258
  static let compression: UInt16 = 259
  static let photometric: UInt16 = 262
  static let stripOffsets: UInt16 = 273
  static let samplesPerPixel: UInt16 = 277
  static let stripByteCounts: UInt16 = 279
  static let tileOffsets: UInt16 = 324
  static let tileByteCounts: UInt16 = 325
  static let subDirectories: UInt16 = 330
  static let extraSamples: UInt16 = 338
  static let sampleFormat: UInt16 = 339
  /// An XMP packet (XMP specification part 3, 1.1.2).
  static let xmp: UInt16 = 700
  /// Records of IPTC.
  static let iptc: UInt16 = 33_723
  /// Resources of Photoshop.
  static let photoshop: UInt16 = 34_377
  static let profile: UInt16 = 34_675
  /// Layers of Photoshop (ImageSourceData).
  static let layers: UInt16 = 37_724
  /// Version of DNG (Digital Negative specification 1.7).
  static let digitalNegative: UInt16 = 50_706
  static let interoperability: UInt16 = 0xA005
}
