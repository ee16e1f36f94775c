import RespoolPlugin

/// DisplayWidth, DisplayHeight and DisplayUnit of a track (RFC 9559 5.1.4.1.28.12 to 14).
///
/// Stored as side data of the track, inside a Video element. The description has the resulting pixel aspect
/// ratio.
struct DisplaySize {
  static let type: FourCC = "MKds"
  private let width: Int
  private let height: Int
  private let unit: Int

  /// Returns `nil` if the entry has no display size, or only the default one.
  init?(_ video: VideoSettings) {
    guard let width = video.displayWidth, let height = video.displayHeight, width > 0, height > 0,
      (width, height, video.displayUnit) != (video.pixelWidth, video.pixelHeight, 0)
    else { return nil }
    (self.width, self.height, unit) = (width, height, video.displayUnit)
  }

  /// Reads the side data of a track.
  init?(_ sideData: [SideData]) {
    guard let bytes = sideData[Self.type],
      let video = try? VideoSettings(EBMLElement(.video, in: "", payload: ByteReader(bytes)))
    else { return nil }
    self.init(video)
  }

  var record: SideData {
    var writer = EBMLWriter()
    write(to: &writer)
    return SideData(Self.type, writer.bytes)
  }

  func write(to video: inout EBMLWriter) {
    video.unsigned(.displayWidth, width)
    video.unsigned(.displayHeight, height)
    if unit > 0 { video.unsigned(.displayUnit, unit) }
  }

  /// Returns the pixel aspect ratio for frames of a size.
  ///
  /// `nil` if it is not defined.
  func pixelAspectRatio(of frame: (width: Int, height: Int)) -> Rational? {
    let most = 1 << 30
    guard unit < 4, width <= most, height <= most, frame.width > 0, frame.height > 0 else {
      return nil
    }
    return Rational(
      reducing: Int64(width) * Int64(frame.height), Int64(height) * Int64(frame.width))
  }
}
