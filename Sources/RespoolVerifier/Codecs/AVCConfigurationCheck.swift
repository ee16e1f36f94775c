import RespoolMedia

/// Check of `avcC` and of packets with NAL units of H.264.
struct AVCConfigurationCheck {
  let track: TrackDescription
  let packets: [Packet]

  func run() throws(Finding) {
    if AnnexB.isByteStream(track.extradata) {
      throw Finding("extradata is a byte stream with start codes (Annex B); avcC is expected")
    }
    let extradata = track.extradata
    let record = try ConfigurationChecks.parsed("avcC") { () throws(MediaError) in
      try AVCConfiguration(extradata)
    }
    guard let set = record.sequenceParameterSets.first, !record.pictureParameterSets.isEmpty else {
      throw Finding("avcC has no sequence or no picture parameter set")
    }
    guard record.bytes.count == extradata.count || record.highProfile == nil else {
      throw Finding(
        "avcC has \(extradata.count.counting("byte")); its fields have \(record.bytes.count)")
    }
    let parameters = try ConfigurationChecks.parsed("avcC") { () throws(MediaError) in
      try AVCSequenceParameters(nalUnit: set)
    }
    guard parameters.profile == record.profile, parameters.level == record.level else {
      throw Finding(
        "avcC states profile \(record.profile) and level \(record.level); the sequence parameter set has "
          + "\(parameters.profile) and \(parameters.level)")
    }
    guard parameters.width == track.width, parameters.height == track.height else {
      throw Finding(
        "the sequence parameter set in avcC has \(parameters.width)x\(parameters.height) pixels; the track has "
          + "\(track.width)x\(track.height)")
    }
    for (index, packet) in packets.enumerated() {
      let parsed = try LengthPrefixedUnits(packet, record.lengthSize, "avcC", index)
      if index == 0 {
        try parsed.compare(record.sequenceParameterSets, "avcC") { $0 & 0x1F == 7 }
      }
      let units = parsed.firstBytes
      // ISO/IEC 14496-15 5.3.3: avc1 has all parameter sets in its record.
      if let set = units.first(where: { [7, 8, 13, 15].contains($0 & 0x1F) }) {
        throw Finding(
          "packet \(index) has a parameter set (NAL unit type \(set & 0x1F)): with avcC, it belongs only "
            + "into the record",
          cause: "packets have parameter sets")
      }
      let isIDR = units.contains { $0 & 0x1F == 5 }
      guard !isIDR || packet.flags.contains(.key) else {
        throw Finding("packet \(index) has an IDR picture, but no key flag")
      }
    }
  }
}

/// Check of `hvcC` and of packets with NAL units of HEVC.
struct HEVCConfigurationCheck {
  let track: TrackDescription
  let packets: [Packet]

  func run() throws(Finding) {
    if AnnexB.isByteStream(track.extradata) {
      throw Finding("extradata is a byte stream with start codes (Annex B); hvcC is expected")
    }
    let extradata = track.extradata
    let record = try ConfigurationChecks.parsed("hvcC") { () throws(MediaError) in
      try HEVCConfiguration(extradata)
    }
    guard record.bytes.count == extradata.count else {
      throw Finding(
        "hvcC has \(extradata.count.counting("byte")); its fields have \(record.bytes.count)")
    }
    for (type, name) in [(UInt8(32), "video"), (33, "sequence"), (34, "picture")] {
      guard record.arrays.contains(where: { $0.type == type && !$0.units.isEmpty }) else {
        throw Finding("hvcC has no \(name) parameter set")
      }
    }
    guard let set = record.arrays.first(where: { $0.type == 33 })?.units.first else { return }
    let parameters = try ConfigurationChecks.parsed("hvcC") { () throws(MediaError) in
      try HEVCSequenceParameters(nalUnit: set)
    }
    guard parameters.profileTierLevel == record.profileTierLevel else {
      throw Finding("hvcC states another profile, tier or level than its sequence parameter set")
    }
    guard parameters.width == track.width, parameters.height == track.height else {
      throw Finding(
        "the sequence parameter set in hvcC has \(parameters.width)x\(parameters.height) pixels; the track has "
          + "\(track.width)x\(track.height)")
    }
    for (index, packet) in packets.enumerated() {
      let parsed = try LengthPrefixedUnits(packet, record.lengthSize, "hvcC", index)
      if index == 0 {
        let sets = record.arrays.filter { $0.type == 33 }.flatMap(\.units)
        try parsed.compare(sets, "hvcC") { $0 >> 1 & 0x3F == 33 }
      }
      let units = parsed.firstBytes
      // ISO/IEC 14496-15 8.3.3: an array that is complete has all parameter sets of its type.
      let complete = record.arrays.filter(\.isComplete).map(\.type)
      if let set = units.map({ $0 >> 1 & 0x3F }).first(where: {
        (32...34).contains($0) && complete.contains($0)
      }) {
        throw Finding(
          "packet \(index) has a parameter set (NAL unit type \(set)), but array_completeness of hvcC is 1",
          cause: "packets have parameter sets")
      }
      let isIDR = units.contains { (19...20).contains($0 >> 1 & 0x3F) }
      guard !isIDR || packet.flags.contains(.key) else {
        throw Finding("packet \(index) has an IDR picture, but no key flag")
      }
    }
  }
}
