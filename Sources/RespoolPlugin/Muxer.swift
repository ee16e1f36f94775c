public import RespoolMedia

/// Puts packets into a container.
///
/// One thread at a time calls a muxer; not always the same one. It writes only through its sink.
public protocol Muxer: AnyObject, SendableMetatype {
  /// What the muxer handles; `kind` is `.muxer`.
  static var description: FactoryDescription { get }

  /// Throws `unsupported` with the reason where the track cannot be carried. The default takes every
  /// track whose codec is in `description.codecs`.
  static func check(_ track: TrackDescription) throws(MediaError)

  /// Opens for the tracks, metadata and chapters of `media`. The header may be written now or later.
  init(media: MediaDescription, sink: ByteSink, options: [MetadataEntry]) throws(MediaError)

  /// The time base in which packets of `track` are to be given.
  func timeBase(ofTrack track: Int) -> Rational

  /// Takes one packet. Those of one track come in decoding order, the tracks interleaved by time;
  /// `dts` is always known. Packets that end at or before 0 are hidden where the container can.
  func write(_ packet: Packet) throws(MediaError)

  /// Completes the file. `media` is that of `init` with what is only known at the end.
  func finish(_ media: MediaDescription) throws(MediaError)
}
