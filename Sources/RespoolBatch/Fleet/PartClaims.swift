import Glibc
import RespoolHost
import RespoolMedia

/// The claims of processes on parts of a plan, each an empty name that is created or not.
///
/// The file `7.0` says who has taken part 7 first. If that process ends before the part is complete, the next one that
/// takes it creates `7.1`, and so on: of several that try, one succeeds (open(2), `O_EXCL`, also on file servers). The
/// file `7.done` says that the part is complete, and the file `7.0.full` that the process of `7.0` lives but has given
/// the part back, because it finds the disk full. It is empty, since it may be all for which there is room. What comes
/// before all parts has a number of its own (``FleetMoves``).
struct PartClaims {
  let folder: String

  /// Knowledge of a part.
  struct State {
    /// Number of the latest claim; `nil` if there is none.
    var generation: Int?
    var isDone = false
    /// Claims whose processes have given the part back.
    var givenBack: Set<Int> = []

    /// `true` if the process of the latest claim has given the part back.
    var isGivenBack: Bool { generation.map { givenBack.contains($0) } ?? false }
  }

  private static let done = "done"
  private static let full = "full"

  /// Returns the parts that have been claimed.
  func states() -> [Int: State] {
    var states: [Int: State] = [:]
    for name in (try? HeldFolder(folder))?.names() ?? [] {
      let parts = name.split(separator: ".")
      guard parts.count >= 2, let number = Int(parts[0]) else { continue }
      if parts.count == 3, parts[2] == Self.full, let generation = Int(parts[1]) {
        states[number, default: State()].givenBack.insert(generation)
      } else if parts.count > 2 {
        continue
      } else if parts[1] == Self.done {
        states[number, default: State()].isDone = true
      } else if let generation = Int(parts[1]) {
        let known = states[number]?.generation ?? -1
        states[number, default: State()].generation = max(known, generation)
      }
    }
    return states
  }

  /// Claims a part for a process; returns `false` if another one has done that.
  ///
  /// Throws `io` if the claim cannot be written.
  func claim(_ part: Int, generation: Int, for run: String) throws(MediaError) -> Bool {
    try create("\(part).\(generation)", content: run)
  }

  /// Notes that a part is complete.
  ///
  /// Throws `io` if that cannot be written.
  func finish(_ part: Int) throws(MediaError) {
    _ = try create("\(part).\(Self.done)", content: "")
  }

  /// Notes that the process of a claim gives the part back, because it finds the disk full.
  ///
  /// Throws `io` if that cannot be written.
  func giveBack(_ part: Int, generation: Int) throws(MediaError) {
    _ = try create("\(part).\(generation).\(Self.full)", content: "")
  }

  /// Returns the name of the process that has made a claim; `nil` if it has not been written yet.
  func owner(of part: Int, generation: Int) -> String? {
    let text = try? TextFile.read(path("\(part).\(generation)"), called: "claim")
    return text.flatMap { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
  }

  /// Returns the names of the processes that have made the claims on a part up to a number, in their order, each once.
  func owners(of part: Int, through generation: Int) -> [String] {
    var owners: [String] = []
    for generation in 0...generation {
      if let owner = owner(of: part, generation: generation), !owners.contains(owner) {
        owners.append(owner)
      }
    }
    return owners
  }

  /// Returns the numbers of parts that processes have given back, by the names of the processes.
  func givenBack(_ states: [Int: State]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for (part, state) in states {
      for generation in state.givenBack {
        guard let owner = owner(of: part, generation: generation) else { continue }
        counts[owner, default: 0] += 1
      }
    }
    return counts
  }

  /// Returns `true` if no other process has taken a part since the claim of this one.
  func holds(_ part: Int, generation: Int) -> Bool {
    !fileExists(path("\(part).\(generation + 1)"))
  }

  /// Returns the time at which a claim was made, in nanoseconds of the file system's clock.
  func time(of part: Int, generation: Int) -> Int64? {
    var status = stat()
    let path = path("\(part).\(generation)")
    return PathName.withSystemPath(path) { stat($0, &status) } == 0 ? status.modified : nil
  }

  private func path(_ name: String) -> String { PathName.join(folder, name) }

  private func create(_ name: String, content: String) throws(MediaError) -> Bool {
    let path = path(name)
    let file = PathName.withSystemPath(path) {
      open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    }
    guard file >= 0 else {
      if errno == EEXIST { return false }
      throw .system("cannot be created", errno, file: path)
    }
    defer { close(file) }
    guard !content.isEmpty else { return true }
    let bytes = Array((content + "\n").utf8)
    guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
      throw .system("cannot be written", errno, file: path)
    }
    return true
  }
}
