public import RespoolPlugin

/// The common base class of the muxers: each writes one flavor.
public class MovieMuxer {
  private let writer: any MovieOutput

  init(_ writer: any MovieOutput) { self.writer = writer }

  public func timeBase(ofTrack track: Int) -> Rational { writer.timeBase(ofTrack: track) }
  public func write(_ packet: Packet) throws(MediaError) { try writer.write(packet) }
  public func finish(_ media: MediaDescription) throws(MediaError) { try writer.finish(media) }
}

/// A muxer for MP4.
public final class MP4Muxer: MovieMuxer, Muxer {
  public static let description = Flavor.mp4.description(
    "MPEG-4 (MP4)", extensions: ["mp4"], mimeTypes: ["video/mp4", "audio/mp4"])

  public static func check(_ track: TrackDescription) throws(MediaError) {
    try Flavor.mp4.check(track)
  }

  public init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    super.init(try Flavor.mp4.output(media, sink: sink, settings: settings))
  }
}

/// A muxer for QuickTime files.
public final class MOVMuxer: MovieMuxer, Muxer {
  public static let description = Flavor.mov.description(
    "QuickTime (MOV)", extensions: ["mov", "qt"], mimeTypes: ["video/quicktime"])

  public static func check(_ track: TrackDescription) throws(MediaError) {
    try Flavor.mov.check(track)
  }

  public init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    super.init(try Flavor.mov.output(media, sink: sink, settings: settings))
  }
}

/// A muxer for M4A and M4V, as iTunes and iPods play them.
public final class M4AMuxer: MovieMuxer, Muxer {
  public static let description = Flavor.m4a.description(
    "iTunes and iPod (M4A, M4V)", extensions: ["m4a", "m4b", "m4v"],
    mimeTypes: ["audio/mp4", "audio/x-m4a", "video/x-m4v"])

  public static func check(_ track: TrackDescription) throws(MediaError) {
    try Flavor.m4a.check(track)
  }

  public init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    super.init(try Flavor.m4a.output(media, sink: sink, settings: settings))
  }
}
