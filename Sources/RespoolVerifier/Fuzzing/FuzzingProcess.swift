import CVerifier
import Glibc
import RespoolHost
import RespoolMedia

/// The child process that feeds one factory with changed samples.
public enum FuzzingProcess {
  /// The hidden first argument that starts `respool` in this mode.
  ///
  /// The plugin's path, the index of the factory, the number of the first case, seconds to run, the time limit of a
  /// case in seconds, the path of the file for the current case and sample files follow.
  public static let argument = "__fuzz-plugin"

  /// Bytes of memory above which a case is a finding: far more than any file of this size needs.
  private static let maximumMemory: Int64 = 1 << 30

  /// Number of cases that are run in any time, so that "nothing found" has a meaning on a busy machine too.
  private static let fewestCases: UInt64 = 20

  /// Runs cases until the time is over, and ends the process.
  public static func run(_ arguments: [String]) -> Never {
    guard arguments.count >= 6, let index = Int(arguments[1]), let first = UInt64(arguments[2]),
      let seconds = Double(arguments[3]), let timeLimit = Double(arguments[4])
    else { _exit(2) }
    IsolatedProcess.prepare()
    guard_take_output()
    guard_install(IsolatedProcess.answerDescriptor)
    let record = PluginRecord(describingFileAt: arguments[0])
    guard record.provided.indices.contains(index) else { _exit(2) }
    let factory = record.provided[index]
    let finder = CodecFinder(plugin: record)
    let samples = Array(arguments[6...])
    let target: any FuzzingTarget =
      factory.description.kind == .demuxer
      ? DemuxerTarget(factory, finder, samples) : DecoderTarget(factory, finder, samples)
    guard target.count > 0 else {
      send("none")
      _exit(0)
    }
    limitMemory()
    // Samples of large films take long to make; that time is not one of the search.
    let end = monotonicSeconds() + seconds
    var number = first
    while number <= fewestCases || monotonicSeconds() < end {
      let bytes = target.makeCase(number)
      store(bytes, arguments[5])
      send("case", "\(number)")
      guard_limit(timeLimit)
      do throws(Finding) {
        try target.run(bytes, path: arguments[5])
      } catch { finish(error.words) }
      guard_limit(0)
      let peak = guard_peak_resident()
      if peak > maximumMemory {
        finish(
          "\(peak >> 20) MB of memory were used for an input of \(bytes.count.counting("byte"))")
      }
      number += 1
    }
    send("done")
    _exit(0)
  }

  private static func finish(_ reason: String) -> Never {
    send("crash", reason)
    _exit(70)
  }

  private static func send(_ fields: String...) {
    IsolatedProcess.send(
      Array(fields.joined(separator: "\t").utf8.map { $0 == 10 ? 32 : $0 }) + [10])
  }

  /// Writes the current case, so that it is there after a crash.
  private static func store(_ bytes: [UInt8], _ path: String) {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { _exit(2) }
    let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    close(descriptor)
    if failure != 0 { _exit(2) }
  }

  /// Protects the machine from a case that takes all of its memory.
  private static func limitMemory() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    getrlimit(resource, &limit)
    limit.rlim_cur = min(limit.rlim_max, rlim_t(8) << 30)
    setrlimit(resource, &limit)
  }
}

/// A factory that takes changed samples.
protocol FuzzingTarget {
  /// Number of samples.
  var count: Int { get }
  /// Returns the bytes of a case, which its number determines.
  func makeCase(_ number: UInt64) -> [UInt8]
  /// Runs a case, whose bytes are also in a file; errors of the plugin are what it must report.
  func run(_ bytes: [UInt8], path: String) throws(Finding)
}

/// A demuxer that reads changed files.
struct DemuxerTarget: FuzzingTarget {
  private let factory: PluginFactory
  private var files: [[UInt8]] = []

  var count: Int { files.count }

  private static let maximumPackets = 20_000
  private static let maximumErrors = 2000
  private static let maximumSample: Int64 = 4 << 20

  init(_ factory: PluginFactory, _ finder: CodecFinder, _ samples: [String]) {
    self.factory = factory
    for sample in samples {
      guard let source = try? FileSource(path: sample), source.size > 0,
        let bytes = try? source.bytes(at: 0, count: min(source.size, Self.maximumSample))
      else { continue }
      files.append(bytes)
    }
    guard files.isEmpty else { return }
    let made = MadeMedia(finder: finder)
    for muxer in finder.muxers(for: factory.description).prefix(4) {
      if let written = made.file(of: muxer) { files.append(written.bytes) }
    }
    for magic in factory.description.magics.prefix(8) where magic.offset < 4096 {
      var noise = Noise(seed: UInt64(magic.offset) + 1)
      files.append(noise.bytes(magic.offset) + magic.bytes + noise.bytes(2000))
    }
  }

  func makeCase(_ number: UInt64) -> [UInt8] {
    var mutator = Mutator(seed: number)
    let file = files[mutator.below(files.count)]
    return mutator.mutate(file, with: files[mutator.below(files.count)])
  }

  func run(_ bytes: [UInt8], path: String) throws(Finding) {
    guard let source = try? FileSource(path: path),
      let demuxer = try? PluginCall.run(
        "open", { try DemuxerInstance(factory, source, reason: "") })
    else { return }
    try read(demuxer)
    guard let track = demuxer.media.tracks.indices.first else { return }
    let target = demuxer.media.duration.map {
      Rational(1, 1_000_000_000).convert($0 / 2, to: demuxer.media.tracks[track].timeBase)
    }
    guard
      (try? PluginCall.run("seek", { try demuxer.seek(track: track, to: target ?? 100) })) != nil
    else { return }
    try read(demuxer)
  }

  private func read(_ demuxer: DemuxerInstance) throws(Finding) {
    var (packets, errors) = (0, 0)
    while packets < Self.maximumPackets {
      do throws(MediaError) {
        guard
          try PluginCall.run("read", { () throws(MediaError) in try demuxer.read() }) != nil
        else { return }
        packets += 1
      } catch {
        errors += 1
        guard errors < Self.maximumErrors else {
          throw Finding("read returned \(errors.counting("error")) and no end")
        }
      }
    }
  }
}

/// A decoder that gets changed packets.
struct DecoderTarget: FuzzingTarget {
  private let factory: PluginFactory
  private var tracks: [PacketFile] = []

  var count: Int { tracks.count }

  private static let maximumPackets = 40

  init(_ factory: PluginFactory, _ finder: CodecFinder, _ samples: [String]) {
    self.factory = factory
    for sample in samples {
      guard let source = try? FileSource(path: sample), source.size > 0 else { continue }
      if let bytes = try? source.bytes(at: 0, count: source.size), let file = PacketFile(bytes) {
        tracks.append(file)
        continue
      }
      guard let demuxer = try? finder.open(source) else { continue }
      for (index, track) in demuxer.media.tracks.enumerated()
      where (try? DecoderInstance.supports(factory, track)) == true {
        guard
          let packets = try? DecoderTrial.Source(
            file: source, track: index, demuxer: demuxer.factory
          ).packets
        else { continue }
        tracks.append(
          PacketFile(track: track, packets: Array(packets.prefix(Self.maximumPackets))))
      }
    }
    guard tracks.isEmpty else { return }
    let made = MadeMedia(finder: finder)
    for codec in factory.description.codecs {
      guard let encoding = made.encoding(codec) else { continue }
      tracks.append(
        PacketFile(
          track: encoding.track, packets: Array(encoding.packets.prefix(Self.maximumPackets))))
    }
  }

  func makeCase(_ number: UInt64) -> [UInt8] {
    var mutator = Mutator(seed: number)
    var file = tracks[mutator.below(tracks.count)]
    if mutator.below(4) == 0 {
      file.track.extradata = mutator.mutate(file.track.extradata, with: [])
    }
    for index in file.packets.indices where mutator.below(3) == 0 {
      guard let buffer = file.packets[index].buffer else { continue }
      let bytes = buffer.withBytes { Array($0) }
      let other = file.packets[mutator.below(file.packets.count)].buffer
      file.packets[index].payload = .bytes(
        MediaBuffer(mutator.mutate(bytes, with: other.map { $0.withBytes { Array($0) } } ?? [])))
    }
    return file.bytes
  }

  func run(_ bytes: [UInt8], path: String) throws(Finding) {
    guard let file = PacketFile(bytes),
      (try? DecoderInstance.supports(factory, file.track)) == true,
      let run = try? DecoderRun(factory, file.track, limit: 20_000, allowsErrors: true)
    else { return }
    for (number, packet) in file.packets.enumerated() { try run.send(packet, number) }
    try run.drain()
    run.flush()
    if let packet = file.packets.first { try run.send(packet, 0) }
  }
}
