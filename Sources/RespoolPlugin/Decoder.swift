public import RespoolMedia

/// A decoder: converts packets to frames.
///
/// One thread at a time calls a decoder; not always the same one. A frame has the pts of its packet.
/// The host trims and discards samples.
public protocol Decoder: AnyObject, SendableMetatype {
  /// Name, codecs and options of the decoder; `kind` is `.decoder`.
  static var description: FactoryDescription { get }

  /// Returns `true` if the track can be decoded. The default looks for its codec in `description.codecs`.
  static func supports(_ track: TrackDescription) -> Bool

  /// Opens a decoder for one track.
  init(settings: DecoderSettings) throws(MediaError)

  /// Takes a packet, or `nil` to drain. The payload is always bytes.
  ///
  /// After an error the packet is lost, and the decoder continues with the next one.
  func send(_ packet: Packet?) throws(MediaError) -> Feeding

  /// Returns the next frame.
  func receive() throws(MediaError) -> Output<Frame>

  /// Discards all packets sent so far, for a seek; also makes a drained decoder usable again.
  func flush()
}
