import RespoolMedia

extension PluginFactory {
  /// Greatest number of bytes of a packet; codecs count them in 32 bits.
  private static let mostPacketBytes = Int(Int32.max)

  /// Throws `pluginFailure` if a packet has more bytes than any codec can read.
  ///
  /// A plugin can state any number, and a copy of that many bytes would end the process.
  func checkSize(ofPacket size: Int) throws(MediaError) {
    guard !(0...Self.mostPacketBytes).contains(size) else { return }
    throw MediaError(
      .pluginFailure,
      "\(label) returned a packet of \(size) bytes; at most \(Self.mostPacketBytes) are possible")
  }
}
