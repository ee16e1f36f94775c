/// Width and height of a frame in whole pixels, as CMVideoDimensions.
public struct VideoDimensions: Hashable, Sendable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public static let zero = VideoDimensions(width: 0, height: 0)
}

extension VideoDimensions: CustomStringConvertible {
  public var description: String { "\(width)x\(height)" }
}
