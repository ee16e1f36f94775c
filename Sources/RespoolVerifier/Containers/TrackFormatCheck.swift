import RespoolHost
import RespoolMedia

/// Comparison of a track's size, or its sample rate and channels, with the configuration record and decoded frames.
///
/// One of the two must agree. A record may state less than the stream, such as the core of HE-AAC.
struct TrackFormatCheck {
  let track: TrackDescription
  let packets: [Packet]
  let finder: CodecFinder

  /// Number of packets that are decoded: more than any decoder holds back.
  private static let decodedPackets = 32

  func run() throws(Finding) {
    let isVideo = track.kind == .video
    // 0 means unknown; another check finds audio without a rate.
    guard isVideo ? track.width > 0 && track.height > 0 : track.sampleRate > 0 else { return }
    let recorded = isVideo ? recordedSize : recordedAudio
    if let recorded, agrees(recorded) { return }
    let decoded = decodedFormat()
    if let decoded, agrees(decoded) { return }
    guard
      let (found, source) = recorded.map({ ($0, "its configuration record has") })
        ?? decoded.map({ ($0, "the decoded frames have") })
    else { return }
    throw Finding(
      "the track has \(text(Format(track))); \(source) \(text(found))",
      cause: "a track has another size, rate or number of channels than its media")
  }

  /// Size of video, or sample rate and number of channels; `nil` for a channel count that is not stated.
  private struct Format {
    var first: Int
    var second: Int?

    init(_ first: Int, _ second: Int?) { (self.first, self.second) = (first, second) }

    init(_ track: TrackDescription) {
      self =
        track.kind == .video
        ? Format(track.width, track.height)
        : Format(track.sampleRate, track.channelLayout.channelCount)
    }
  }

  private func agrees(_ found: Format) -> Bool {
    let stated = Format(track)
    return stated.first == found.first && (found.second == nil || stated.second == found.second)
  }

  private func text(_ format: Format) -> String {
    track.kind == .video
      ? "\(format.first)x\(format.second ?? 0) pixels"
      : "\(format.first) Hz" + (format.second.map { " and \($0.counting("channel"))" } ?? "")
  }

  private var recordedSize: Format? {
    let first = packets.first?.bytes ?? []
    switch track.codec {
    case "h264":
      let record =
        (try? AVCConfiguration(track.extradata)) ?? (try? AVCConfiguration(byteStream: first))
      guard let set = record?.sequenceParameterSets.first,
        let parameters = try? AVCSequenceParameters(nalUnit: set)
      else { return nil }
      return Format(parameters.width, parameters.height)
    case "hevc":
      let record =
        (try? HEVCConfiguration(track.extradata)) ?? (try? HEVCConfiguration(byteStream: first))
      guard let set = record?.arrays.first(where: { $0.type == 33 })?.units.first,
        let parameters = try? HEVCSequenceParameters(nalUnit: set)
      else { return nil }
      return Format(parameters.width, parameters.height)
    default: return nil
    }
  }

  private var recordedAudio: Format? {
    let record = track.extradata
    switch track.codec {
    case "aac":
      let parsed =
        (try? AudioSpecificConfiguration(record))
        ?? (try? ADTSHeader(packets.first?.bytes.prefix(9) ?? []))?.configuration
      return parsed.map { Format($0.decodedSampleRate, $0.channelLayout?.channelCount) }
    case "opus":
      guard let head = try? OpusConfiguration(head: record) else { return nil }
      return Format(48000, Int(head.channelCount))
    case "flac":
      guard let info = try? FLACStreamInfo(record) else { return nil }
      return Format(Int(info.sampleRate), Int(info.channelCount))
    default: return nil
    }
  }

  /// Format of the first decoded frame; `nil` if no decoder returns one.
  private func decodedFormat() -> Format? {
    // A decoder of PCM repeats what the track states.
    guard !track.codec.hasPrefix("pcm_") else { return nil }
    let start = packets.firstIndex { $0.flags.contains(.key) } ?? 0
    let sent = Array(packets[start...].prefix(Self.decodedPackets))
    for decoder in finder.decoders(track) {
      guard let frame = (try? Decoding(decoder, track, sent))?.frames.first else { continue }
      return frame.kind == .video
        ? Format(frame.width, frame.height)
        : Format(frame.sampleRate, frame.channelLayout.channelCount)
    }
    return nil
  }
}
