package import RespoolMedia

/// Writes packets and divides the muxer's output into segments.
///
/// The thread that writes packets calls it, one call at a time.
package protocol SegmentCutter: AnyObject {
  /// Takes the description of the tracks in the file, before the first packet.
  func begin(_ media: MediaDescription)
  /// Writes a packet that has the muxer's track number and times in `timeBase`.
  func write(_ packet: Packet, _ timeBase: Rational, to muxer: MuxerInstance) throws(MediaError)
  /// Emits a segment of everything written since the last segment.
  func handOut() throws(MediaError)
}
