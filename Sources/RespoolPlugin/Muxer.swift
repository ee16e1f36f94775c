public import RespoolMedia

/// A muxer: writes packets to a container.
///
/// One thread at a time calls a muxer; not always the same one. It writes only through its sink.
public protocol Muxer: AnyObject, SendableMetatype {
  /// Name, codecs and options of the muxer; `kind` is `.muxer`.
  static var description: FactoryDescription { get }

  /// Throws `unsupported` with the reason if the container cannot carry the track.
  ///
  /// The default accepts every track whose codec is in `description.codecs`.
  static func check(_ track: TrackDescription) throws(MediaError)

  /// Opens the muxer for the tracks, metadata and chapters of `media`. It may write the header now or later.
  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError)

  /// The form of `init(media:sink:settings:)` before ABI 1.3, with the options alone. Its default throws.
  init(media: MediaDescription, sink: ByteSink, options: [MetadataEntry]) throws(MediaError)

  /// Returns the time base in which `write` expects packets of `track`.
  func timeBase(ofTrack track: Int) -> Rational

  /// Takes one packet.
  ///
  /// Packets of one track come in decoding order, and the tracks are interleaved by time; `dts` is always known.
  /// Packets that end at or before 0 are hidden if the container can do that.
  func write(_ packet: Packet) throws(MediaError)

  /// Completes the file. `media` is that of `init`, completed with values that are only known at the end.
  func finish(_ media: MediaDescription) throws(MediaError)
}
