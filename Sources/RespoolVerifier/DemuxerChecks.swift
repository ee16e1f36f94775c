import Respool
import RespoolMedia

/// Checks of a demuxer: it refuses files of other formats, and reads its own to the end.
struct DemuxerChecks {
  let factory: PluginFactory
  let samples: [String]

  /// Maximum number of packets of a small file.
  ///
  /// A demuxer that returns more is in an endless loop.
  private static let maximumPackets = 10_000_000
  private static let maximumErrors = 100_000

  private var suffix: String? { factory.description.extensions.first }

  func run(_ report: inout Report) {
    report.check("empty file") { () throws(Finding) in
      // The registry refuses empty files itself; here the demuxer must do so.
      try refuses([])
    }
    report.check("random bytes") { () throws(Finding) in
      var noise = Noise(seed: 1)
      let bytes = noise.bytes(64 << 10)
      // A fallback demuxer reads files that no other does, and some formats have no signature.
      if factory.description.tier == .fallback { return try survives(bytes) }
      return try refuses(bytes)
    }
    for (index, magic) in factory.description.magics.prefix(8).enumerated() {
      report.check("random bytes after magic \(index)") { () throws(Finding) in
        var noise = Noise(seed: UInt64(index) + 2)
        var bytes = noise.bytes(64 << 10)
        guard magic.offset + magic.bytes.count <= bytes.count else {
          return "the magic is too far from the start to be checked"
        }
        bytes.replaceSubrange(magic.offset..<magic.offset + magic.bytes.count, with: magic.bytes)
        return try survives(bytes)
      }
    }
    for sample in samples {
      // A sample file is used only for the demuxers that can open it.
      guard let source = try? FileSource(path: sample), source.size > 0,
        (try? DemuxerInstance(factory, source, reason: "")) != nil
      else { continue }
      check(sample: source, &report)
    }
  }

  private func check(sample source: FileSource, _ report: inout Report) {
    report.check("\(source.name): tracks") { () throws(Finding) in
      let demuxer = try opened(source)
      let problems = demuxer.media.tracks.enumerated().flatMap { index, track in
        problem(with: track).map { "\(TrackNumber(index: index)) \($0)" }
      }
      guard problems.isEmpty else { throw Finding(problems.joined(separator: "; ")) }
      return "\(demuxer.media.tracks.count) tracks in \(demuxer.media.format)"
    }
    report.check("\(source.name): read to the end") { () throws(Finding) in
      let demuxer = try opened(source)
      let (packets, errors) = try drain(demuxer)
      for _ in 0..<3 {
        let more: Packet?
        do throws(MediaError) { more = try demuxer.read() } catch {
          throw Finding("reading after the end fails: \(error)")
        }
        if more != nil { throw Finding("reading after the end returns a packet") }
      }
      return "\(packets) packets, \(errors) errors"
    }
    guard source.size <= 64 << 20, let bytes = try? contents(of: source) else { return }
    report.check("\(source.name): cut off") { () throws(Finding) in
      for part in 1...16 { _ = try survives(Array(bytes.prefix(bytes.count * part / 17))) }
      for count in 1...min(64, bytes.count) { _ = try survives(Array(bytes.prefix(count))) }
      return "cut off at up to 80 places"
    }
    report.check("\(source.name): damaged") { () throws(Finding) in
      var noise = Noise(seed: 99)
      for _ in 0..<32 {
        var damaged = bytes
        for _ in 0..<16 {
          // The structure of files is mostly near both ends.
          let readLimit = noise.next() & 1 == 0 ? min(4096, bytes.count) : bytes.count
          let offset = Int(noise.next() % UInt64(readLimit))
          damaged[noise.next() & 2 == 0 ? offset : bytes.count - 1 - offset] = UInt8(
            truncatingIfNeeded: noise.next())
        }
        _ = try survives(damaged)
      }
      return "32 damaged copies"
    }
  }

  private func opened(_ source: FileSource) throws(Finding) -> DemuxerInstance {
    do throws(MediaError) { return try DemuxerInstance(factory, source, reason: "") } catch {
      throw Finding("cannot be opened: \(error)")
    }
  }

  private func problem(with track: TrackDescription) -> [String] {
    var problems: [String] = []
    if !track.timeBase.isPositive { problems.append("has the time base \(track.timeBase)") }
    switch track.kind {
    case .video:
      if track.codec.isEmpty, track.codecTag == 0 { problems.append("has no codec") }
      if !(0...32768).contains(track.width) || !(0...32768).contains(track.height) {
        problems.append("has \(track.width)x\(track.height) pixels")
      }
    case .audio:
      if track.codec.isEmpty, track.codecTag == 0 { problems.append("has no codec") }
      if track.sampleRate <= 0 { problems.append("has no sample rate") }
      if !(1...64).contains(track.channelLayout.channelCount) {
        problems.append("has \(track.channelLayout.channelCount) channels")
      }
    default: break
    }
    return problems
  }

  private func refuses(_ bytes: [UInt8]) throws(Finding) -> String {
    let files = try TemporaryFiles()
    let source = try files.source(bytes, extension: suffix)
    let demuxer: DemuxerInstance
    do throws(MediaError) { demuxer = try DemuxerInstance(factory, source, reason: "") } catch {
      return try message(of: error)
    }
    throw Finding("opened with \(demuxer.media.tracks.count) tracks; an error was expected")
  }

  /// Opens and reads the bytes.
  ///
  /// Fails only for a crash, an endless loop or an error without a message.
  private func survives(_ bytes: [UInt8]) throws(Finding) -> String {
    let files = try TemporaryFiles()
    let source = try files.source(bytes, extension: suffix)
    let demuxer: DemuxerInstance
    do throws(MediaError) { demuxer = try DemuxerInstance(factory, source, reason: "") } catch {
      return try message(of: error)
    }
    let (packets, errors) = try drain(demuxer)
    return "\(packets) packets, \(errors) errors"
  }

  private func drain(_ demuxer: DemuxerInstance) throws(Finding) -> (packets: Int, errors: Int) {
    var (packets, errors) = (0, 0)
    while packets < Self.maximumPackets, errors < Self.maximumErrors {
      do throws(MediaError) {
        guard try demuxer.read() != nil else { return (packets, errors) }
        packets += 1
      } catch {
        _ = try message(of: error)
        errors += 1
      }
    }
    throw Finding("no end after \(packets) packets and \(errors) errors")
  }

  private func contents(of source: FileSource) throws(MediaError) -> [UInt8] {
    let buffer = MediaBuffer(count: Int(source.size))
    _ = try source.read(at: 0, into: buffer.bytes)
    return buffer.withBytes { Array($0) }
  }
}

/// Returns the message of an error.
///
/// Throws a finding if there is no message, or if the plugin itself has failed.
func message(of error: MediaError) throws(Finding) -> String {
  if error.message.isEmpty || error.message == "failed without a message" {
    throw Finding("an error with the code \(error.code.rawValue) has no message")
  }
  return "refused: \(error.message)"
}
