public import RespoolMedia

/// Turns frames into packets.
///
/// One thread at a time calls an encoder; not always the same one.
public protocol Encoder: AnyObject, SendableMetatype {
  /// What the encoder makes and takes; `kind` is `.encoder`.
  static var description: FactoryDescription { get }

  init(settings: EncoderSettings) throws(MediaError)

  /// The track that comes out: complete after `init`, final after `receive` gave `end`.
  var track: TrackDescription { get }

  /// Takes a frame, or nil to drain. Keeping the frame keeps its memory.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding

  /// Sound: pts counts from `-initialPadding` on, and the last packet's `trimEnd` tells how much of it
  /// is padding.
  func receive() throws(MediaError) -> Output<Packet>
}
