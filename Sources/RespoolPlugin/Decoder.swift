public import RespoolMedia

/// Turns packets into frames.
///
/// One thread at a time calls a decoder; not always the same one. A frame carries the pts of the packet
/// that it came from. Trimming and discarding are the host's work.
public protocol Decoder: AnyObject, SendableMetatype {
  /// What the decoder handles; `kind` is `.decoder`.
  static var description: FactoryDescription { get }

  /// Whether this track can be decoded; the default looks for its codec in `description.codecs`.
  static func supports(_ track: TrackDescription) -> Bool

  init(settings: DecoderSettings) throws(MediaError)

  /// Takes a packet, whose payload is always bytes, or nil to drain. After an error the packet is lost
  /// and the decoder goes on with the next one.
  func send(_ packet: Packet?) throws(MediaError) -> Feeding

  func receive() throws(MediaError) -> Output<Frame>

  /// Forgets everything sent, as after a seek; also makes a drained decoder usable again.
  func flush()
}
