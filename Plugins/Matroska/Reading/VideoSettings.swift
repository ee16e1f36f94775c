import RespoolPlugin

/// The Video element of a track (RFC 9559 5.1.4.1.28).
struct VideoSettings {
  /// 0 unknown, 1 interlaced, 2 progressive.
  private var flagInterlaced = 0
  /// 0 progressive, 1 and 9 top field first, 6 and 14 bottom field first, 2 unknown.
  private var fieldOrder = 2
  var stereoMode = 0
  var alphaMode = 0
  var pixelWidth = 0
  var pixelHeight = 0
  /// Pixels to crop at each edge.
  var crop = (left: 0, top: 0, right: 0, bottom: 0)
  var displayWidth: Int?
  var displayHeight: Int?
  /// 0 pixels, 1 centimeters, 2 inches, 3 aspect ratio, 4 unknown.
  var displayUnit = 0
  var fourCC: [UInt8] = []
  var color: ColorDescription = .unspecified
  var mastering = MasteringMetadata()
  /// Elements of Colour, and a FieldOrder without meaning, that are copied unchanged.
  var copied = CopiedElements()
  /// 0 rectangular, 1 equirectangular, 2 cube map, 3 mesh.
  var projectionType = 0
  /// The body of the Projection element.
  var projection: [UInt8] = []
  /// Degrees, counter-clockwise.
  var pose = (yaw: 0.0, pitch: 0.0, roll: 0.0)

  init() {}

  init(_ element: EBMLElement) throws(MediaError) {
    var fields = CopiedElements()
    try element.forEachChild { (child) throws(MediaError) in
      fields.add(child, of: .video)
      switch child.id {
      case .flagInterlaced: flagInterlaced = try child.clampedInteger
      case .fieldOrder: fieldOrder = try child.clampedInteger
      case .stereoMode: stereoMode = try child.clampedInteger
      case .alphaMode: alphaMode = try child.clampedInteger
      case .pixelWidth: pixelWidth = try child.clampedInteger
      case .pixelHeight: pixelHeight = try child.clampedInteger
      case .pixelCropLeft: crop.left = try child.clampedInteger
      case .pixelCropTop: crop.top = try child.clampedInteger
      case .pixelCropRight: crop.right = try child.clampedInteger
      case .pixelCropBottom: crop.bottom = try child.clampedInteger
      case .displayWidth: displayWidth = try child.clampedInteger
      case .displayHeight: displayHeight = try child.clampedInteger
      case .displayUnit: displayUnit = try child.clampedInteger
      case .uncompressedFourCC: fourCC = child.binary
      case .colour: try readColor(child)
      case .projection: try readProjection(child)
      default: break
      }
    }
    if !order.isInterlaced, fieldOrder != 2 || flagInterlaced == 1 { copied.add(fields) }
  }

  private mutating func readColor(_ element: EBMLElement) throws(MediaError) {
    var horizontal = 0
    var vertical = 0
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .matrixCoefficients: color.matrix = UInt8(clamping: try child.unsigned)
      case .transferCharacteristics: color.transfer = UInt8(clamping: try child.unsigned)
      case .primaries: color.primaries = UInt8(clamping: try child.unsigned)
      case .range:
        // 3 means that matrix and transfer define the range.
        switch try child.unsigned {
        case 1: color.range = .limited
        case 2: color.range = .full
        default: break
        }
      case .chromaSitingHorz: horizontal = try child.clampedInteger
      case .chromaSitingVert: vertical = try child.clampedInteger
      case .maxCLL: mastering.maxCLL = try child.clampedInteger
      case .maxFALL: mastering.maxFALL = try child.clampedInteger
      case .masteringMetadata: try mastering.read(child)
      default: copied.add(child, of: .colour)
      }
    }
    switch (horizontal, vertical) {
    case (1, 2): color.chromaLocation = .left
    case (2, 2): color.chromaLocation = .center
    case (1, 1): color.chromaLocation = .topLeft
    case (2, 1): color.chromaLocation = .top
    default: break
    }
    // 0 is reserved, except as identity matrix (ITU-T H.273 tables 2 to 4).
    if color.primaries == 0 { color.primaries = H273.unspecified }
    if color.transfer == 0 { color.transfer = H273.unspecified }
  }

  private mutating func readProjection(_ element: EBMLElement) throws(MediaError) {
    projection = Array(element.payload.bytes)
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .projectionType: projectionType = try child.clampedInteger
      case .projectionPoseYaw: pose.yaw = try child.float
      case .projectionPosePitch: pose.pitch = try child.float
      case .projectionPoseRoll: pose.roll = try child.float
      default: break
      }
    }
  }

  /// Pixel aspect ratio.
  ///
  /// Unknown if the display size is missing or does not define a ratio.
  var sampleAspect: Rational {
    let cropped = (
      width: pixelWidth.subtractingClamped(crop.left).subtractingClamped(crop.right),
      height: pixelHeight.subtractingClamped(crop.top).subtractingClamped(crop.bottom)
    )
    guard let displayWidth, let displayHeight, displayUnit < 4, displayWidth > 0,
      displayHeight > 0, (1...0xFFFFF).contains(cropped.width),
      (1...0xFFFFF).contains(cropped.height), displayWidth <= 1 << 40, displayHeight <= 1 << 40
    else { return .unknown }
    return Rational(
      reducing: Int64(displayWidth) * Int64(cropped.height),
      Int64(displayHeight) * Int64(cropped.width))
  }

  /// The rotation and mirroring that the pose of a flat frame defines; `nil` if the pose shows it at a slant.
  ///
  /// Yaw by 180 degrees shows the frame from behind, so it exchanges left and right. Pitch by 180 degrees exchanges
  /// top and bottom. Roll follows both (RFC 9559 5.1.4.1.28.43).
  private var flatMatrix: DisplayMatrix? {
    guard projectionType == 0, pose.roll.isFinite, pose.roll.magnitude <= 360,
      let yaw = Self.halfTurns(pose.yaw), let pitch = Self.halfTurns(pose.pitch)
    else { return nil }
    // Exchanging top and bottom is mirroring and half a turn.
    return DisplayMatrix(
      clockwiseAngle: -pose.roll + (pitch ? 180 : 0), mirrored: yaw != pitch)
  }

  /// Returns `true` for 180 degrees in either direction, `false` for none, and `nil` for other angles.
  private static func halfTurns(_ degrees: Double) -> Bool? {
    if abs(degrees) < 0.01 { return false }
    return abs(abs(degrees) - 180) < 0.01 ? true : nil
  }

  /// The rotation and mirroring of the frame.
  var displayMatrix: DisplayMatrix { flatMatrix ?? .identity }

  /// `true` if the projection says more than ``displayMatrix`` does.
  var hasFurtherProjection: Bool {
    projectionType != 0 || !projection.isEmpty && flatMatrix == nil
  }

  /// The order of fields; readers ignore FieldOrder without FlagInterlaced.
  var order: TrackDescription.FieldOrder {
    switch flagInterlaced {
    case 2: .progressive
    case 1: .init(count: 2, detail: UInt8(clamping: fieldOrder))
    default: .unknown
    }
  }

  /// The record of the detail of ``order``.
  ///
  /// `nil` for video without a known order of fields.
  var fieldRecord: SideData? {
    order.isInterlaced ? SideData(.fieldOrder, [2, UInt8(clamping: fieldOrder)]) : nil
  }
}

/// Light levels of the mastering display and of the content (SMPTE ST 2086, CTA-861.3).
struct MasteringMetadata: Hashable {
  /// Chromaticities of red, green, blue and white, x before y.
  ///
  /// `nil` if not stored.
  var chromaticities: [Double?] = Array(repeating: nil, count: 8)
  /// Candelas per square meter.
  var luminanceMax: Double?
  /// Candelas per square meter.
  var luminanceMin: Double?
  /// Candelas per square meter.
  var maxCLL: Int?
  /// Candelas per square meter.
  var maxFALL: Int?

  static let elements: [ElementID] = [
    .primaryRChromaticityX, .primaryRChromaticityY, .primaryGChromaticityX, .primaryGChromaticityY,
    .primaryBChromaticityX, .primaryBChromaticityY, .whitePointChromaticityX,
    .whitePointChromaticityY,
  ]

  mutating func read(_ element: EBMLElement) throws(MediaError) {
    try element.forEachChild { (child) throws(MediaError) in
      if let index = Self.elements.firstIndex(of: child.id) {
        chromaticities[index] = try child.float
      } else if child.id == .luminanceMax {
        luminanceMax = try child.float
      } else if child.id == .luminanceMin {
        luminanceMin = try child.float
      }
    }
  }
}

extension Int {
  fileprivate func subtractingClamped(_ other: Int) -> Int {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? 0 : difference
  }
}
