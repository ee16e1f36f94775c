import Glibc
import RespoolHost
import RespoolMedia

/// A process of one of several machines.
struct ProcessIdentity: Hashable {
  /// Name of the machine.
  var machine: String
  /// Name of the machine since it was started, and of the container, in which numbers of processes have a meaning.
  var space: String
  var number: Int32
  /// Time of its start, in ticks since that of the machine (`starttime` of proc_pid_stat(5)).
  var started: String
  /// Job of a scheduler and the number of its attempt; empty if there is none.
  var job: String
  var attempt: Int

  /// The identity of this process.
  static let current = {
    let (job, attempt) =
      [("SLURM_JOB_ID", "SLURM_RESTART_COUNT"), ("AWS_BATCH_JOB_ID", "AWS_BATCH_JOB_ATTEMPT")]
      .first { RespoolHost.environment($0.0) != nil } ?? ("", "")
    return ProcessIdentity(
      machine: machineName(),
      space: (file("sys/kernel/random/boot_id") ?? "")
        + (PathName.linkTarget("/proc/self/ns/pid") ?? ""), number: getpid(),
      started: startTime(of: getpid()) ?? "", job: RespoolHost.environment(job) ?? "",
      attempt: RespoolHost.environment(attempt).flatMap(Int.init) ?? 0)
  }()

  /// Returns `true` if the process has ended, as far as the process `observer` can see that at once.
  func isGone(for observer: ProcessIdentity) -> Bool {
    if !job.isEmpty, job == observer.job, attempt < observer.attempt { return true }
    return space == observer.space && Self.startTime(of: number) != started
  }

  private static func startTime(of process: Int32) -> String? {
    // The second field is a name in parentheses, which may have spaces.
    guard let text = file("\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[end...].split(separator: " ")
    // Process state Z is one that has ended.
    return fields.count > 20 && fields[1] != "Z" ? String(fields[20]) : nil
  }

  private static func file(_ name: String) -> String? {
    let text = try? TextFile.read("/proc/" + name, called: "state of the system")
    return text.map { String($0.prefix { $0 != "\n" }) }
  }
}

/// Returns the name of this machine.
func machineName() -> String {
  var name = [CChar](repeating: 0, count: 257)
  guard gethostname(&name, 256) == 0 else { return "unknown" }
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

extension ProcessIdentity {
  init?(_ fields: inout MessageFields) {
    guard let machine = fields.text(), let space = fields.text(),
      let number: Int32 = fields.value(), let started = fields.text(), let job = fields.text(),
      let attempt: Int = fields.value()
    else { return nil }
    self.init(
      machine: machine, space: space, number: number, started: started, job: job,
      attempt: attempt)
  }

  func put(into fields: inout MessageFields) {
    fields.put(machine)
    fields.put(space)
    fields.put(number)
    fields.put(started)
    fields.put(job)
    fields.put(attempt)
  }
}
