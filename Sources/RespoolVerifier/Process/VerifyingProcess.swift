import CVerifier
import Glibc
import RespoolHost

/// The child process that checks one factory of a plugin.
public enum VerifyingProcess {
  /// The hidden first argument that starts `respool` in this mode.
  ///
  /// The plugin's path, the index of the factory and the settings follow.
  public static let argument = "__verify-plugin"

  /// Variables for the child: freed memory is overwritten at once.
  ///
  /// The allocator of glibc overwrites only memory that it does not keep for the same thread.
  static let environment = ["GLIBC_TUNABLES=glibc.malloc.tcache_count=0"]

  /// Checks the factory that the arguments after the first one name, sends the results and ends the process.
  public static func run(_ arguments: [String]) -> Never {
    guard arguments.count >= 2, let index = Int(arguments[1]) else { _exit(2) }
    IsolatedProcess.prepare()
    guard_take_output()
    guard_install(IsolatedProcess.answerDescriptor)
    guard_fill_heap(HeapPattern.first)
    let record = PluginRecord(describingFileAt: arguments[0])
    guard record.provided.indices.contains(index) else { _exit(2) }
    let factory = record.provided[index]
    if arguments.count > 2, arguments[2].hasPrefix(digestPrefix) {
      sendDigest(factory, codec: String(arguments[2].dropFirst(digestPrefix.count)))
    }
    let settings = VerifyingSettings(arguments.dropFirst(2))
    let report = Report(settings)
    MemoryGrowth.allowedLeak = settings.allowedLeak
    let finder = CodecFinder(plugin: record)
    let samples = settings.samples
    switch factory.description.kind {
    case .demuxer:
      DemuxerChecks(
        factory: factory, finder: finder, samples: samples, rejected: settings.rejected
      ).run(report)
    case .decoder: DecoderChecks(factory: factory, finder: finder, samples: samples).run(report)
    case .encoder: EncoderChecks(factory: factory, finder: finder).run(report)
    case .muxer: MuxerChecks(factory: factory, finder: finder).run(report)
    case .filter: FilterChecks(factory: factory).run(report)
    }
    report.complete()
    _exit(0)
  }
}

extension VerifyingProcess {
  /// The start of the third argument with which a child only encodes; the name of the codec follows.
  private static let digestPrefix = "digest:"

  /// Sends a digest of an encoder's output for its first format, and ends the process.
  private static func sendDigest(_ factory: PluginFactory, codec: String) -> Never {
    for input in EncoderInput.all(of: factory.description, codec) {
      guard let encoding = try? Encoding(factory, input.accepted(by: factory)) else { continue }
      IsolatedProcess.send(Array(digest(encoding).utf8))
      _exit(0)
    }
    _exit(1)
  }

  private static func digest(_ encoding: Encoding) -> String {
    String(encoding.hashes.reduce(0) { ($0 ^ $1) &* 0x9E37_79B9_7F4A_7C15 }, radix: 16)
  }

  /// Compares an encoding with that of another process; `nil` if that failed.
  ///
  /// Seeds of hash tables and addresses of code differ between processes.
  static func isEqualElsewhere(_ encoding: Encoding, _ factory: PluginFactory) -> Bool? {
    guard let index = factory.plugin.provided.firstIndex(of: factory),
      case .success(let process) = IsolatedProcess.start(
        [argument, factory.plugin.path, String(index), digestPrefix + encoding.input.track.codec],
        timeLimit: 5, environment: environment)
    else { return nil }
    var running = [process]
    while !running[0].isOver { IsolatedProcess.wait(for: &running) }
    let answer = String(decoding: running[0].bytes, as: UTF8.self)
    _ = running[0].end(isAnswered: false)
    return answer.isEmpty ? nil : answer == digest(encoding)
  }
}

/// Bytes with which the heap is filled, so that memory that was never written to differs between two runs.
enum HeapPattern {
  static let first: Int32 = 0xA5
  static let second: Int32 = 0x3C
}
