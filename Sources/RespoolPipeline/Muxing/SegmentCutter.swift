package import RespoolMedia

/// Writes packets and cuts what a muxer makes of them into segments.
///
/// It is called by whoever writes packets, one call at a time.
package protocol SegmentCutter: AnyObject, Sendable {
  /// Writes a packet whose track is the muxer's and whose times are in `timeBase`.
  func write(_ packet: Packet, _ timeBase: Rational, to muxer: MuxerInstance) throws(MediaError)
  /// Hands out what has been written since the last segment.
  func handOut() throws(MediaError)
}
