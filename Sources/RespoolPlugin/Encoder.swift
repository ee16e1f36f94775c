public import RespoolMedia

/// An encoder: converts frames to packets.
///
/// One thread at a time calls an encoder; not always the same one.
public protocol Encoder: AnyObject, SendableMetatype {
  /// Name, codecs, accepted formats and options of the encoder; `kind` is `.encoder`.
  static var description: FactoryDescription { get }

  init(settings: EncoderSettings) throws(MediaError)

  /// Checks settings without opening an encoder, and throws the error that `init` would throw.
  ///
  /// Without an implementation, an encoder is opened. Called on any thread.
  static func check(_ settings: EncoderSettings) throws(MediaError)

  /// Returns about how many bytes of memory an encoder with these settings takes; `nil` if this is unknown.
  ///
  /// Without an implementation, `nil`. Called on any thread, with settings that `check` accepted.
  static func memory(for settings: EncoderSettings) -> Int64?

  /// Description of the encoded track. Complete after `init`, final after `receive` returned `end`.
  var track: TrackDescription { get }

  /// Takes a frame, or `nil` to drain. An encoder that keeps the frame keeps its memory alive.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding

  /// Returns the next packet.
  ///
  /// Audio: pts starts at `-initialPadding`, and `trimEnd` of the last packet is the length of its padding.
  func receive() throws(MediaError) -> Output<Packet>
}
