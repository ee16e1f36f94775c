import CAVFormat
import RespoolPlugin

/// The side data that libavformat attaches to a packet.
struct PacketSideData {
  /// Audio samples to trim from the start and from the end.
  private(set) var skipStart: Int64 = 0
  var skipEnd: Int64 = 0
  /// BlockAdditional with BlockAddID 1.
  private(set) var blockAddition: [UInt8] = []
  /// A new configuration record, valid from this packet on.
  private(set) var newExtradata: [UInt8] = []
  /// 256 colors of four bytes each: blue, green, red, alpha.
  private(set) var palette: [UInt8] = []

  init(_ packet: UnsafePointer<AVPacket>) {
    guard packet.pointee.side_data_elems > 0 else { return }
    if let bytes = Self.bytes(packet, AV_PKT_DATA_SKIP_SAMPLES), bytes.count >= 8 {
      skipStart = Int64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
      skipEnd = Int64(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    }
    if let bytes = Self.bytes(packet, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL), bytes.count > 8,
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) == 1
    {
      blockAddition = Array(bytes.dropFirst(8))
    }
    // Settings and identifier of a cue, one line each, as in Matroska's BlockAdditional.
    let settings = Self.bytes(packet, AV_PKT_DATA_WEBVTT_SETTINGS).map(Array.init) ?? []
    let identifier = Self.bytes(packet, AV_PKT_DATA_WEBVTT_IDENTIFIER).map(Array.init) ?? []
    if !settings.isEmpty || !identifier.isEmpty { blockAddition = settings + [0x0A] + identifier }
    if let bytes = Self.bytes(packet, AV_PKT_DATA_NEW_EXTRADATA) { newExtradata = Array(bytes) }
    if let bytes = Self.bytes(packet, AV_PKT_DATA_PALETTE), bytes.count == 1024 {
      // Native 32-bit words; all machines that Respool supports are little-endian.
      palette = Array(bytes)
    }
  }

  private static func bytes(_ packet: UnsafePointer<AVPacket>, _ type: AVPacketSideDataType)
    -> UnsafeRawBufferPointer?
  {
    var size = 0
    guard let data = av_packet_get_side_data(packet, type, &size), size > 0 else { return nil }
    return UnsafeRawBufferPointer(start: data, count: size)
  }
}
