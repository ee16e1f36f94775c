import RespoolMedia

/// Check of `av1C` and of packets with open bitstream units of AV1.
struct AV1ConfigurationCheck {
  let track: TrackDescription
  let packets: [Packet]

  func run() throws(Finding) {
    let extradata = track.extradata
    guard AV1Configuration.isRecord(extradata), extradata.count > 4 else {
      throw Finding(
        "extradata is not av1C: it must begin with 81 and have a sequence header after 4 bytes")
    }
    let parsed = try ConfigurationChecks.parsed("av1C") { () throws(MediaError) in
      try AV1Configuration(units: extradata.dropFirst(4))
    }
    guard let parsed else { throw Finding("av1C has no sequence header") }
    guard parsed.bytes.prefix(3).elementsEqual(extradata.prefix(3)) else {
      throw Finding("av1C states another profile, level or format than its sequence header")
    }
    for (index, packet) in packets.enumerated() {
      guard let units = OpenBitstreamUnit.units(in: packet.bytes) else {
        throw Finding("the units of packet \(index) do not fill it: each must have a size field")
      }
      if units.contains(where: { $0.type == OpenBitstreamUnit.temporalDelimiter }) {
        throw Finding("packet \(index) has a temporal delimiter, which containers leave out")
      }
      guard index == 0, let own = OpenBitstreamUnit.units(in: parsed.sequenceHeader)?.first,
        let other = units.first(where: { $0.type == OpenBitstreamUnit.sequenceHeader })
      else { continue }
      guard own.payload.elementsEqual(other.payload) else {
        throw Finding("the sequence header in av1C is not that of the first packet")
      }
    }
  }
}
