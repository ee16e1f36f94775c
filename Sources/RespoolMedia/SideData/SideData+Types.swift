/// Types of side data that several stages know, with the form of their bytes.
extension FourCC {
  /// Mastering display color volume: 24 bytes, see ``MasteringDisplay`` (ISO/IEC 14496-12 12.1.7).
  public static let masteringDisplay: FourCC = "mdcv"
  /// Content light level: 4 bytes, see ``ContentLightLevel`` (ISO/IEC 14496-12 12.1.6).
  public static let contentLightLevel: FourCC = "clli"
  /// Side data of a track without meaning for frames of standard dynamic range: those above, content color volume and
  /// ambient viewing environment (ISO/IEC 14496-12 12.1.8, 14496-12 12.1.9).
  package static let highDynamicRange: Set<FourCC> = [
    masteringDisplay, contentLightLevel, "cclv", "amve",
  ]
  /// A message of ITU-T T.35 from its country code on, such as HDR10+ metadata and CTA-708 captions.
  ///
  /// A frame or a packet may have several.
  public static let registeredUserData: FourCC = "it35"
  /// Side data of a frame: its timecodes, a count and up to three of SMPTE ST 12-1, 4 bytes each, as in ITU-T H.264 D.2.3
  /// and FFmpeg.
  public static let timecodes: FourCC = "tc12"
  /// Ambient viewing environment: 8 bytes (ISO/IEC 14496-12, as in ITU-T H.265 D.2.39).
  public static let ambientViewing: FourCC = "amve"
  /// Content color volume (ISO/IEC 14496-12 12.1.8).
  public static let contentColorVolume: FourCC = "cclv"
  /// An ICC profile: the body of `colr`, its type `prof` or `rICC` and then the profile.
  public static let colorProfile: FourCC = "colr"
  /// Side data of a track: its layer, which orders tracks from front to back, 2 bytes (ISO/IEC 14496-12 8.3.2).
  public static let trackLayer: FourCC = "layr"
  /// Side data of a track: graphics mode and the red, green and blue of its color, 8 bytes (ISO/IEC 14496-12 12.1.2).
  public static let graphicsMode: FourCC = "vmhd"
  /// Side data of a track: balance from -1 (left) to 1 (right), 8.8 fixed point, 2 bytes (ISO/IEC 14496-12 12.2.2).
  public static let audioBalance: FourCC = "smhd"
  /// Side data of a track: horizontal and vertical pixels per inch of a video sample entry, each 16.16 fixed point
  /// (ISO/IEC 14496-12 12.1.3).
  public static let resolution: FourCC = "dpi "
  /// Side data of a track: the body of a box `kind` whose role is not a disposition (ISO/IEC 14496-12 8.10.4).
  public static let trackRole: FourCC = "kind"
  /// Side data of a track with interlaced video: 2 and the order in which fields are stored and shown, a byte each
  /// (QuickTime File Format, "Field handling"; RFC 9559 5.1.4.1.28.2).
  public static let fieldOrder: FourCC = "fiel"
  /// Side data of a file or a track: unknown boxes of user data, whole, such as those of cameras.
  public static let userData: FourCC = "udta"
  /// An XMP packet of a file, after the 16 bytes that identify its box (XMP specification, part 3, 1.2.6).
  public static let xmp: FourCC = "XMP "
  /// File: the extension of an XMP packet in JPEG, to which the packet refers (XMP specification part 3, 1.1.3.1).
  public static let extendedXMP: FourCC = "XMPx"
  /// Side data of a file with a picture: Exif data, a TIFF structure from its byte order on (CIPA DC-008 4.5.2).
  public static let exif: FourCC = "Exif"
  /// Side data of a file: the body of a box `meta` with a handler that is copied unchanged (ISO/IEC 14496-12 8.11.1).
  public static let metaBox: FourCC = "meta"
  /// Side data of a file: the units per second, then the times of QuickTime's preview, poster and selection, 7 numbers
  /// of 4 bytes (QuickTime File Format, "Movie header atom").
  public static let displayTimes: FourCC = "mvhd"
  /// Side data of a file: the document type of a Matroska file, such as `webm`, if it is not `matroska`.
  package static let documentType: FourCC = "MKdt"
  /// Side data of a file: chunks of a RIFF file that are copied unchanged, see ``RIFFChunks``.
  public static let riffChunks: FourCC = "RFch"
  /// Side data of a file: chunks that refer to positions by audio sample numbers, see ``RIFFChunks``.
  public static let riffPlaces: FourCC = "RFpl"
  /// Side data of a file: application blocks of FLAC that are copied unchanged, each with its header of 4 bytes
  /// (RFC 9639 8.4).
  public static let flacApplications: FourCC = "FLap"
  /// Dolby Vision configuration of profiles up to 7, from 8 to 10, and above 10: 24 bytes, see
  /// ``DolbyVisionConfiguration``.
  public static let dolbyVision: [FourCC] = ["dvcC", "dvvC", "dvwC"]
  /// Side data of a frame: a reference processing unit of Dolby Vision, as it follows the two bytes of header of HEVC's
  /// NAL unit of type 62, with emulation prevention (Dolby Vision Streams Within the ISO Base Media File Format, 2.2).
  public static let dolbyVisionUnit: FourCC = "dvru"
}

extension SideData {
  /// The bytes before the packet in a record of XMP (XMP specification, part 3, 1.2.6).
  public static let xmpIdentifier: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]

  /// `true` for records of a file that are copied unchanged whenever its tags are kept.
  package var isCarriedWithTags: Bool {
    [
      .userData, .xmp, .extendedXMP, .exif, .metaBox, .riffChunks, .id3Frames, .unwrittenElements,
      .displayTimes,
      .flacApplications,
    ].contains(type)
  }

  /// `true` for data that describes high dynamic range, which is wrong for frames of standard range.
  package var describesHighDynamicRange: Bool {
    switch type {
    case .masteringDisplay, .contentLightLevel, .ambientViewing, .contentColorVolume,
      .dolbyVisionUnit:
      true
    case .registeredUserData: !isCaptions
    default: FourCC.dolbyVision.contains(type)
    }
  }

  /// `true` for CTA-708 captions in a message of ATSC A/53 (part 4, 6.2.3.1).
  package var isCaptions: Bool {
    type == .registeredUserData
      && bytes.starts(with: [0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03])
  }

  /// `true` for data of a track that applies to its frames independently of their coding.
  ///
  /// A configuration record describes one coding; it does not survive another encoder.
  package var appliesToFrames: Bool {
    switch type {
    case .masteringDisplay, .contentLightLevel, .ambientViewing, .contentColorVolume, "st3d",
      "sv3d", .trackLayer, .trackRole, .graphicsMode, .audioBalance, .resolution,
      .userData:
      true
    default: false
    }
  }
}

extension TrackDescription {
  /// Detail of the order of fields, as in MP4 and Matroska: 1, 6, 9 or 14.
  ///
  /// 1 and 6 mean that one field is stored after the other, 9 and 14 that their lines are interleaved. `nil` if the
  /// source does not state one of these, or not for the ``fieldOrder`` of the track.
  public var fieldDetail: UInt8? {
    guard let bytes = sideData[.fieldOrder], bytes.count == 2,
      fieldOrder == FieldOrder(count: bytes[0], detail: bytes[1])
    else { return nil }
    return bytes[1]
  }
}

extension TrackDescription.FieldOrder {
  /// Creates the order from the number of fields of a frame and the detail of their order.
  public init(count: UInt8, detail: UInt8) {
    switch (count, detail) {
    case (1, _): self = .progressive
    case (2, 1), (2, 9): self = .topFirst
    case (2, 6), (2, 14): self = .bottomFirst
    default: self = .unknown
    }
  }
}
