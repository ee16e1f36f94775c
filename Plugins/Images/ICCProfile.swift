import RespoolPlugin

extension TrackDescription {
  /// The ICC profile of an image; `nil` if there is none.
  var profile: [UInt8]? {
    sideData[.colorProfile].flatMap { record in
      ["prof", "rICC"].contains { record.starts(with: $0.utf8) } ? Array(record.dropFirst(4)) : nil
    }
  }
}

extension PixelFormat {
  /// Color spaces of profiles that no image of RGB or gray has.
  private static let others = ["CMYK", "Lab ", "XYZ ", "Luv ", "YCbr", "CMY "]

  /// Returns `true` if an ICC profile is of the color space of the format (ICC.1:2022 7.2.6), or if one is unknown.
  func takes(profile: [UInt8]) -> Bool {
    guard profile.count >= 20, let family = layout?.family else { return true }
    let space = String(decoding: profile[16..<20], as: UTF8.self)
    // Programs show gray images with profiles of RGB as well.
    return space == "GRAY" ? family == .gray : !Self.others.contains(space)
  }
}
