import RespoolMedia

/// The facts about frames that a bitstream states: color, pixel aspect ratio.
struct BitstreamFacts {
  /// Name of the part that has them, such as `the sequence parameter set`.
  var place: String
  var color = ColorDescription.unspecified
  var sampleAspect = Rational.unknown
  /// `true` if the codec has no field for primaries and transfer.
  var hasMatrixOnly = false
  /// `true` if the codec has a field for the pixel aspect ratio.
  var hasAspect = false

  /// Codecs whose facts are read.
  static let codecs: Set<String> = ["h264", "hevc", "av1", "vp9"]

  /// Reads the facts of an encoded track; `nil` if its codec has none.
  ///
  /// Throws if a record or the first packet cannot be parsed.
  init?(_ track: TrackDescription, _ packets: [Packet]) throws(Finding) {
    let first = packets.first?.bytes ?? []
    switch track.codec {
    case "h264":
      place = "the sequence parameter set"
      hasAspect = true
      let usability = try ConfigurationChecks.parsed("avcC") {
        () throws(MediaError) -> VUIParameters? in
        let record =
          track.extradata.isEmpty
          ? try AVCConfiguration(byteStream: first) : try AVCConfiguration(track.extradata)
        guard let set = record?.sequenceParameterSets.first else { return nil }
        return try AVCSequenceParameters(nalUnit: set, usability: true).usability
      }
      color = usability?.color ?? .unspecified
      sampleAspect = usability?.sampleAspect ?? .unknown
    case "hevc":
      place = "the sequence parameter set"
      hasAspect = true
      let usability = try ConfigurationChecks.parsed("hvcC") {
        () throws(MediaError) -> HEVCVUIParameters? in
        let record =
          track.extradata.isEmpty
          ? try HEVCConfiguration(byteStream: first) : try HEVCConfiguration(track.extradata)
        let arrays = record?.arrays
        guard let set = arrays?.first(where: { $0.type == 33 })?.units.first else { return nil }
        return try HEVCSequenceParameters(nalUnit: set, usability: true).usability
      }
      color = usability?.color ?? .unspecified
      sampleAspect = usability?.sampleAspect ?? .unknown
    case "av1":
      place = "the sequence header"
      let header = try ConfigurationChecks.parsed("av1C") { () throws(MediaError) in
        let record = AV1Configuration.isRecord(track.extradata) ? track.extradata.dropFirst(4) : []
        return try AV1Configuration(units: record.isEmpty ? first[...] : record)
      }
      color = header?.color ?? .unspecified
    case "vp9":
      place = "the header of the first frame"
      hasMatrixOnly = true
      color = Self.vp9Color(first) ?? .unspecified
    default: return nil
    }
  }

  /// Reads `color_config` of a key frame (VP9 bitstream specification 6.2.2); `nil` for other frames.
  private static func vp9Color(_ bytes: [UInt8]) -> ColorDescription? {
    var bits = BitReader(bytes)
    do throws(MediaError) {
      guard try bits.bits(2) == 2 else { return nil }
      let low = try bits.bits(1)
      let profile = low | (try bits.bits(1)) << 1
      if profile == 3 { try bits.skip(1) }
      // show_existing_frame and frame_type; then show_frame, error_resilient_mode and the sync code.
      guard try bits.bits(1) == 0, try bits.bits(1) == 0 else { return nil }
      try bits.skip(2 + 24)
      if profile >= 2 { try bits.skip(1) }
      let matrices: [UInt8] = [2, 5, 1, 6, 7, 9, 2, 0]
      let space = Int(try bits.bits(3))
      var color = ColorDescription(matrix: matrices[space])
      color.range = space == 7 ? .full : try bits.bit() ? .full : .limited
      return color
    } catch { return nil }
  }

  /// Returns what differs from the track that was encoded.
  func problems(_ track: TrackDescription) -> [String] {
    var problems: [String] = []
    func compare<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
      guard found != expected else { return }
      problems.append("\(place) has \(what) \(found); \(expected) was sent")
    }
    if !hasMatrixOnly {
      compare(
        "the primaries", name(color.primaries, color.primariesName),
        name(track.color.primaries, track.color.primariesName))
      compare(
        "the transfer", name(color.transfer, color.transferName),
        name(track.color.transfer, track.color.transferName))
    }
    compare(
      "the matrix", name(color.matrix, color.matrixName),
      name(track.color.matrix, track.color.matrixName))
    compare("the range", "\(color.range)", "\(track.color.range)")
    if hasAspect {
      compare(
        "the pixel aspect ratio", sampleAspect.isPositive ? "\(sampleAspect)" : "unspecified",
        "\(track.sampleAspect)")
    }
    return problems
  }

  private func name(_ value: UInt8, _ name: String?) -> String {
    "\(name ?? "unspecified") (\(value))"
  }
}
