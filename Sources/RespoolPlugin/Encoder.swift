public import RespoolMedia

/// An encoder: converts frames to packets.
///
/// One thread at a time calls an encoder; not always the same one.
public protocol Encoder: AnyObject, SendableMetatype {
  /// Name, codecs, accepted formats and options of the encoder; `kind` is `.encoder`.
  static var description: FactoryDescription { get }

  init(settings: EncoderSettings) throws(MediaError)

  /// Description of the encoded track. Complete after `init`, final after `receive` returned `end`.
  var track: TrackDescription { get }

  /// Takes a frame, or `nil` to drain. An encoder that keeps the frame keeps its memory alive.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding

  /// Returns the next packet.
  ///
  /// Audio: pts starts at `-initialPadding`, and `trimEnd` of the last packet is the length of its padding.
  func receive() throws(MediaError) -> Output<Packet>
}
