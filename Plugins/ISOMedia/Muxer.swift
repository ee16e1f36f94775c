public import RespoolPlugin

/// A muxer for MP4.
public final class MP4Muxer: Muxer {
  public static let description = Flavor.mp4.description(
    "MPEG-4 (MP4)", extensions: ["mp4"], mimeTypes: ["video/mp4", "audio/mp4"])
  private let writer: any MovieOutput

  public static func check(_ track: TrackDescription) throws(MediaError) {
    try Flavor.mp4.check(track)
  }

  public init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    writer = try Flavor.mp4.output(media, sink: sink, settings: settings)
  }

  public func timeBase(ofTrack track: Int) -> Rational { writer.timeBase(ofTrack: track) }
  public func write(_ packet: Packet) throws(MediaError) { try writer.write(packet) }
  public func finish(_ media: MediaDescription) throws(MediaError) { try writer.finish(media) }
}

/// A muxer for QuickTime files.
public final class MOVMuxer: Muxer {
  public static let description = Flavor.mov.description(
    "QuickTime (MOV)", extensions: ["mov", "qt"], mimeTypes: ["video/quicktime"])
  private let writer: any MovieOutput

  public static func check(_ track: TrackDescription) throws(MediaError) {
    try Flavor.mov.check(track)
  }

  public init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    writer = try Flavor.mov.output(media, sink: sink, settings: settings)
  }

  public func timeBase(ofTrack track: Int) -> Rational { writer.timeBase(ofTrack: track) }
  public func write(_ packet: Packet) throws(MediaError) { try writer.write(packet) }
  public func finish(_ media: MediaDescription) throws(MediaError) { try writer.finish(media) }
}

/// A muxer for M4A and M4V, as iTunes and iPods play them.
public final class M4AMuxer: Muxer {
  public static let description = Flavor.m4a.description(
    "iTunes and iPod (M4A, M4V)", extensions: ["m4a", "m4b", "m4v"],
    mimeTypes: ["audio/mp4", "audio/x-m4a", "video/x-m4v"])
  private let writer: any MovieOutput

  public static func check(_ track: TrackDescription) throws(MediaError) {
    try Flavor.m4a.check(track)
  }

  public init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    writer = try Flavor.m4a.output(media, sink: sink, settings: settings)
  }

  public func timeBase(ofTrack track: Int) -> Rational { writer.timeBase(ofTrack: track) }
  public func write(_ packet: Packet) throws(MediaError) { try writer.write(packet) }
  public func finish(_ media: MediaDescription) throws(MediaError) { try writer.finish(media) }
}
