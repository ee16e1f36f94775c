public import RespoolMedia

/// Takes a container apart.
///
/// One thread at a time calls a demuxer; not always the same one. It reads only through its source.
public protocol Demuxer: AnyObject, SendableMetatype {
  /// What the demuxer handles; `kind` is `.demuxer`.
  static var description: FactoryDescription { get }

  /// How sure it is that it can read a source that starts with `bytes`: 0 no, 25 by its name only, 50
  /// likely, 75 by a signature, 100 by structure. The default compares magics and extensions.
  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int

  /// Reads as much as it needs to know the tracks.
  init(source: ByteSource, options: [MetadataEntry]) throws(MediaError)

  /// What is in the file; does not change.
  var media: MediaDescription { get }

  /// Which tracks `read` shall return, one flag to a track. Called before the first `read` or straight
  /// after `seek`; without it all are wanted.
  func select(_ wanted: [Bool]) throws(MediaError)

  /// The next packet, in the order of the file or of decoding times; nil at the end. After an error
  /// the next call goes on behind the damage or returns nil.
  func read() throws(MediaError) -> Packet?

  /// Goes to the last place from which `track` can be decoded so that `time` (presentation time in its
  /// time base) is shown. The default throws `unsupported`.
  func seek(track: Int, to time: Int64) throws(MediaError)
}
