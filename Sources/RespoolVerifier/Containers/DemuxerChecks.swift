import RespoolHost
import RespoolMedia

/// Checks of a demuxer: it refuses files of other formats, and reads its own to the end.
struct DemuxerChecks {
  let factory: PluginFactory
  let finder: CodecFinder
  let samples: [String]
  let rejected: [String]

  private var suffix: String? { factory.description.extensions.first }

  func run(_ report: Report) {
    let noise = DemuxerNoise(factory)
    report.check("empty file") { () throws(Finding) in
      // The registry refuses empty files itself; here the demuxer must do so.
      try noise.refuses([])
    }
    report.check("random bytes") { () throws(Finding) in
      var random = Noise(seed: 1)
      let bytes = random.bytes(64 << 10)
      // A fallback demuxer reads files that no other does, and some formats have no signature.
      if factory.description.tier == .fallback { return try noise.survives(bytes) }
      return try noise.refuses(bytes)
    }
    for (index, magic) in factory.description.magics.prefix(8).enumerated() {
      report.check("random bytes after magic \(index)") { () throws(Finding) in
        var random = Noise(seed: UInt64(index) + 2)
        var bytes = random.bytes(64 << 10)
        guard magic.offset + magic.bytes.count <= bytes.count else {
          throw .skipped("the magic is at byte \(magic.offset), too far from the start")
        }
        bytes.replaceSubrange(magic.offset..<magic.offset + magic.bytes.count, with: magic.bytes)
        return try noise.survives(bytes)
      }
    }
    DemuxerForeignChecks(factory: factory, finder: finder, rejected: rejected).run(report)
    for sample in samples {
      // A sample file is used only for the demuxers that can open it.
      do throws(MediaError) {
        let source = try FileSource(path: sample)
        guard source.size > 0 else {
          report.sample(sample, refusal: "the file is empty")
          continue
        }
        _ = try PluginCall.run("open") { () throws(MediaError) in
          try DemuxerInstance(factory, source, reason: "")
        }
        report.sample(sample, refusal: nil)
        check(source, report)
      } catch {
        report.sample(
          sample, refusal: "\(factory.description.name) does not open the file: \(error.message)")
      }
    }
    checkMadeFiles(report)
  }

  /// Checks files of muxers whose extension the demuxer lists.
  private func checkMadeFiles(_ report: Report) {
    guard let files = try? TemporaryFiles() else { return }
    var made: [(name: String, written: WrittenFile, source: FileSource)] = []
    report.prepare("files to read") {
      let media = MadeMedia(finder: finder)
      for muxer in finder.muxers(for: factory.description).prefix(2) {
        guard let written = media.file(of: muxer),
          let source = try? files.source(
            written.bytes, extension: muxer.description.extensions.first),
          opens(source)
        else { continue }
        made.append(("file of \(muxer.description.name)", written, source))
      }
    }
    for file in made { check(file.source, report, name: file.name, written: file.written) }
    withExtendedLifetime(files) {}
  }

  private func opens(_ source: FileSource) -> Bool {
    (try? PluginCall.run("open", { try DemuxerInstance(factory, source, reason: "") })) != nil
  }

  private func check(
    _ source: FileSource, _ report: Report, name: String? = nil, written: WrittenFile? = nil
  ) {
    let name = name ?? source.name
    let trial = DemuxerTrial(factory: factory, source: source, written: written)
    if written != nil {
      report.check("\(name): content") { () throws(Finding) in
        try trial.compare()
        return "the packets are those that were written"
      }
    }
    report.check("\(name): tracks") { () throws(Finding) in
      let demuxer = try trial.opened()
      let problems = demuxer.media.tracks.enumerated().flatMap { index, track in
        problem(with: track).map { "\(TrackNumber(index: index)) \($0)" }
      }
      guard problems.isEmpty else { throw Finding(problems.joined(separator: "; ")) }
      return "\(demuxer.media.tracks.count.counting("track")) in \(demuxer.media.format)"
    }
    let tracks = DemuxerTrackChecks(trial: trial, finder: finder, name: name)
    tracks.run(report)
    if written == nil {
      DemuxerPeerCheck(trial: trial, finder: finder, tracks: tracks, name: name).run(report)
    }
    DemuxerPacketChecks(trial: trial, name: name).run(report)
    DemuxerSeekChecks(trial: trial, name: name).run(report)
    guard source.size <= 64 << 20,
      let bytes = try? source.bytes(at: 0, count: source.size)
    else { return }
    let noise = DemuxerNoise(factory)
    report.check("\(name): cut off") { () throws(Finding) in
      for part in 1...16 { _ = try noise.survives(Array(bytes.prefix(bytes.count * part / 17))) }
      for count in 1...min(64, bytes.count) { _ = try noise.survives(Array(bytes.prefix(count))) }
      return "cut off at up to 80 places"
    }
    report.check("\(name): damaged") { () throws(Finding) in
      var random = Noise(seed: 99)
      for _ in 0..<32 {
        var damaged = bytes
        for _ in 0..<16 {
          // The structure of files is mostly near both ends.
          let limit = random.next() & 1 == 0 ? min(4096, bytes.count) : bytes.count
          let offset = random.below(limit)
          damaged[random.next() & 2 == 0 ? offset : bytes.count - 1 - offset] = UInt8(
            truncatingIfNeeded: random.next())
        }
        _ = try noise.survives(damaged)
      }
      return "32 damaged copies"
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
        problems.append("has \(track.channelLayout.channelCount.counting("channel"))")
      }
    default: break
    }
    return problems
  }
}

/// A demuxer that gets files that are damaged or of other formats.
struct DemuxerNoise {
  private let factory: PluginFactory
  private static let maximumErrors = 100_000

  init(_ factory: PluginFactory) { self.factory = factory }

  private var suffix: String? { factory.description.extensions.first }

  func refuses(_ bytes: [UInt8]) throws(Finding) -> String {
    try open(bytes) { (demuxer) throws(Finding) in
      throw Finding(
        "opened a file of another format with \(demuxer.media.tracks.count.counting("track")); "
          + "an error was expected",
        cause: DemuxerForeignChecks.opened
      )
    }
  }

  /// Opens and reads the bytes.
  ///
  /// Fails only for a crash, an endless loop or an error without a message.
  func survives(_ bytes: [UInt8]) throws(Finding) -> String {
    try open(bytes) { (demuxer) throws(Finding) in
      let (packets, errors) = try drain(demuxer)
      return "\(packets.counting("packet")), \(errors.counting("error"))"
    }
  }

  /// Opens a file of these bytes; returns the reason if the demuxer refuses it.
  private func open(
    _ bytes: [UInt8], _ body: (DemuxerInstance) throws(Finding) -> String
  ) throws(Finding) -> String {
    let files = try TemporaryFiles()
    let source = try files.source(bytes, extension: suffix)
    let demuxer: DemuxerInstance
    do throws(MediaError) {
      demuxer = try PluginCall.run("open") { () throws(MediaError) in
        try DemuxerInstance(factory, source, reason: "")
      }
    } catch {
      return try message(of: error)
    }
    return try body(demuxer)
  }

  func drain(_ demuxer: DemuxerInstance) throws(Finding) -> (packets: Int, errors: Int) {
    var (packets, errors) = (0, 0)
    // Damage may make a packet of every byte, and of lengths that a format repeats.
    let maximum = ReadFile.maximumPackets(demuxer.source.size) + 50_000
    while packets < maximum, errors < Self.maximumErrors {
      do throws(MediaError) {
        guard
          try PluginCall.run("read", { () throws(MediaError) in try demuxer.read() }) != nil
        else { return (packets, errors) }
        packets += 1
      } catch {
        _ = try message(of: error)
        errors += 1
      }
    }
    throw Finding(
      "no end after \(packets.counting("packet")) and \(errors.counting("error"))", cause: "no end")
  }
}
