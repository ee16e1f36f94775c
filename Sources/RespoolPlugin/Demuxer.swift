public import RespoolMedia

/// A demuxer: reads the tracks and packets of a container.
///
/// One thread at a time calls a demuxer; not always the same one. It reads only through its source.
public protocol Demuxer: AnyObject, SendableMetatype {
  /// Name, signatures and options of the demuxer; `kind` is `.demuxer`.
  static var description: FactoryDescription { get }

  /// Returns a score for a source that starts with `bytes`.
  ///
  /// 0: cannot read it, 25: by its name only, 50: likely, 75: by a signature, 100: by structure. The default
  /// compares magics and extensions.
  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int

  /// Opens the source and reads as much as describing the tracks needs.
  ///
  /// The settings ask for no times of packets but those that the description's flags declare.
  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError)

  /// The form of `init(source:settings:)` before ABI 1.3, with the options alone. Its default throws.
  init(source: ByteSource, options: [MetadataEntry]) throws(MediaError)

  /// Description of the file. Does not change.
  var media: MediaDescription { get }

  /// Selects the tracks that `read` returns, one flag per track.
  ///
  /// Called before the first `read` or immediately after `seek`. By default all tracks are selected.
  func select(_ isSelected: [Bool]) throws(MediaError)

  /// Returns the next packet, in the order of the file or of decoding times; `nil` at the end.
  ///
  /// After an error the next call continues after the damage or returns `nil`.
  func read() throws(MediaError) -> Packet?

  /// Seeks to the last place from which decoding `track` shows `time`.
  ///
  /// `time` is a presentation time in the track's time base. The default throws `unsupported`.
  func seek(track: Int, to time: Int64) throws(MediaError)
}
