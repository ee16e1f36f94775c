import ArgumentParser
import CLinux
import Glibc
import Respool
import RespoolBatch
import RespoolHost
import RespoolMedia
import RespoolPresets

/// Several watches, each with folders and options of its own, which a YAML file lists.
///
/// Each is a process; one that ends against the user's will begins again.
struct WatchList {
  private let path: String
  /// Options that all have.
  private let common: [String]

  /// Prepares the watches of a file; `common` are options that all have.
  init(_ path: String, common: [String]) { (self.path, self.common) = (path, common) }

  /// A watch as the file has it.
  private struct Watch: Hashable {
    var place: String
    var arguments: [String]
    /// Folder of the outputs.
    var output: String
  }

  /// The process of a watch.
  private struct Child {
    let watch: Watch
    var process: pid_t?
    /// `true` if it is to end.
    var isUnwanted = false
    /// Time at which it began or begins again, and seconds after its end until it does so.
    var begin = 0.0
    var delay = Self.shortDelay

    static let (shortDelay, longDelay) = (5.0, 600.0)
  }

  /// Watches until a signal ends it; returns the exit status.
  ///
  /// The status is 2 after a mistake in the file.
  func run() throws(MediaError) -> Int32 {
    var children: [Child] = []
    do throws(MediaError) { children = try read().map { Child(watch: $0) } } catch {
      CommandError.print(error)
      return 2
    }
    let signals = linux_watch_termination()
    guard signals >= 0 else {
      throw MediaError(
        .io, "signals cannot be watched", cause: String(cString: strerror(errno)))
    }
    var end: Int32?
    while true {
      for index in children.indices where end == nil && mayBegin(children[index], children) {
        begin(&children[index])
      }
      switch linux_await_signal(signals, 200) {
      case 0: break
      case SIGHUP: if end == nil { reload(&children) }
      case SIGTERM:
        end = 0
        send(SIGTERM, to: children)
      case let number:
        end = 130
        // Ctrl-C has reached the others too.
        if number != SIGINT { send(number, to: children) }
      }
      for index in children.indices { take(&children[index], isEnding: end != nil) }
      children.removeAll { $0.isUnwanted && $0.process == nil }
      if let end, children.allSatisfy({ $0.process == nil }) { return end }
    }
  }

  // MARK: Processes

  /// Returns `true` if a watch is to begin now: its time has come, and no other one works on its outputs.
  private func mayBegin(_ child: Child, _ children: [Child]) -> Bool {
    child.process == nil && !child.isUnwanted && monotonicSeconds() >= child.begin
      && !children.contains { $0.process != nil && $0.watch.output == child.watch.output }
  }

  private func begin(_ child: inout Child) {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The signals that this process waits for reach the child.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let executable = CommandLine.executablePath
    func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
      texts.map { PathName.withSystemPath($0) { strdup($0) } } + [nil]
    }
    var words = copies([executable, "watch", "--one-of-many"] + child.watch.arguments)
    // Several displays on one terminal would be unreadable.
    var variables: [UnsafeMutablePointer<CChar>?] = []
    for index in 0... {
      guard let variable = environ[index] else { break }
      if strncmp(variable, "TERM=", 5) != 0 { variables.append(strdup(variable)) }
    }
    variables += copies(["TERM=dumb"])
    defer { for word in words + variables { free(word) } }
    var process = pid_t()
    let failure = PathName.withSystemPath(executable) {
      posix_spawn(&process, $0, nil, &attributes, &words, &variables)
    }
    if failure == 0 {
      child.process = process
    } else {
      CommandError.note(
        "\(child.watch.place): the watch cannot be started: \(String(cString: strerror(failure)))")
    }
    child.begin = max(child.begin, monotonicSeconds())
  }

  private func send(_ signal: Int32, to children: [Child]) {
    for child in children { if let process = child.process { kill(process, signal) } }
  }

  /// Notes the end of a child; it begins again after some time.
  private func take(_ child: inout Child, isEnding: Bool) {
    var status: Int32 = 0
    guard let process = child.process, waitpid(process, &status, WNOHANG) == process else { return }
    child.process = nil
    guard !isEnding, !child.isUnwanted else { return }
    let now = monotonicSeconds()
    // One that worked for long begins again soon.
    if now > child.begin + Child.longDelay { child.delay = Child.shortDelay }
    child.begin = now + child.delay
    CommandError.note(
      "\(child.watch.place): the watch has ended; it begins again in \(Int(child.delay)) seconds")
    child.delay = min(2 * child.delay, Child.longDelay)
  }

  // MARK: File

  /// Reads the file again: new watches begin, removed ones end, and the others read their presets again.
  private func reload(_ children: inout [Child]) {
    let watches: [Watch]
    do throws(MediaError) { watches = try read() } catch {
      CommandError.print(error)
      return CommandError.note("the watches go on as they are")
    }
    var new = watches
    for index in children.indices where !children[index].isUnwanted {
      let same = new.firstIndex { $0.arguments == children[index].watch.arguments }
      if let same { new.remove(at: same) } else { children[index].isUnwanted = true }
      if let process = children[index].process { kill(process, same == nil ? SIGTERM : SIGHUP) }
    }
    children += new.map { Child(watch: $0) }
  }

  private func read() throws(MediaError) -> [Watch] {
    let groups = try OptionGroups(path, called: "list of watches").groups
    let jobs = max(1, coreCount() / groups.count)
    var watches: [Watch] = []
    // Plugins are the same for all presets.
    var presets: Set<String> = []
    for group in groups {
      let (watch, preset) = try watch(group, jobs: jobs)
      if let other = watches.first(where: { Self.isSameFolder($0.output, watch.output) }) {
        let option = group.options.first { $0.name == "to" }
        throw MediaError(
          .malformed,
          "\(option?.place ?? group.place): the outputs go into \(watch.output), as those of the watch at "
            + "\(other.place) do; give each watch a folder of its own")
      }
      if presets.insert(preset).inserted {
        do throws(MediaError) { _ = try PresetCheck.registry(for: preset) } catch {
          let option = group.options.first { $0.name == "preset" }
          throw MediaError(.malformed, "\(option?.place ?? group.place): \(error.description)")
        }
      }
      watches.append(watch)
    }
    return watches
  }

  /// Returns the watch of an item and its preset; `jobs` is the number of conversions if the item has none.
  private func watch(_ group: OptionGroups.Group, jobs: Int) throws(MediaError) -> (Watch, String) {
    var (inputs, words) = ([String](), common)
    for option in group.options {
      if option.name == "input" {
        inputs += option.values.map(Self.expanded)
        continue
      }
      guard Self.names.contains(option.name) else {
        throw MediaError(
          .malformed,
          "\(option.place): \(option.name) is no option of a watch; "
            + Spelling.advice(
              for: option.name, among: ["input"] + Self.names, kind: "an option"))
      }
      if ["to", "originals", "preset"].contains(option.name) {
        words += option.values.map { "--\(option.name)=" + Self.expanded($0) }
      } else if option.values == ["true"] {
        words.append("--" + option.name)
      } else if option.values != ["false"] {
        words += option.values.map { "--\(option.name)=\($0)" }
      }
    }
    guard !inputs.isEmpty else {
      throw MediaError(.malformed, "\(group.place): no folder is named; give one as `input`")
    }
    if !group.options.contains(where: { $0.name == "jobs" }) { words.append("--jobs=\(jobs)") }
    let arguments = words + ["--"] + inputs
    do {
      let command = try WatchCommand.parse(arguments)
      let watch = Watch(
        place: group.place, arguments: arguments,
        output: PathName.absolute(command.to ?? command.inputs[0]))
      return (watch, command.preset ?? "")
    } catch {
      let (text, names) = Self.withoutHyphens(WatchCommand.message(for: error))
      let option = group.options.first { names.contains($0.name) }
      throw MediaError(.malformed, "\(option?.place ?? group.place): \(text)")
    }
  }

  /// Returns `true` if two paths, which need not exist, lead to one folder.
  private static func isSameFolder(_ one: String, _ other: String) -> Bool {
    if PathKey(one) == PathKey(other) { return true }
    guard let identity = FileIdentity(one) else { return false }
    return identity == FileIdentity(other)
  }

  /// Names of the options that an item may have beside `input`.
  private static let names: [String] = {
    let lines = WatchCommand.helpMessage(columns: 200).split(separator: "\n")
    let options = lines.flatMap { line in
      let text = line.drop { $0 == " " }
      return text.hasPrefix("-") ? optionNames(String(text.prefix { $0 != "<" })) : []
    }
    return options.filter { !["list", "help", "version"].contains($0) }
  }()

  /// Returns the names of the options at the beginning of a line of the help.
  private static func optionNames(_ text: String) -> [String] {
    let words = text.split { $0 == " " || $0 == "," || $0 == "/" }
    return words.prefix { $0.hasPrefix("-") }.filter { $0.hasPrefix("--") }
      .map { String($0.dropFirst(2)) }
  }

  /// Returns a message with the names of options as the file has them, and these names.
  private static func withoutHyphens(_ message: String) -> (text: String, names: [String]) {
    var (text, names, rest) = ("", [String](), Substring(message))
    while let character = rest.first {
      let name = rest.hasPrefix("--") ? rest.dropFirst(2).prefix { $0.isLetter || $0 == "-" } : ""
      if name.isEmpty {
        text.append(character)
        rest.removeFirst()
      } else {
        names.append(String(name))
        text += "`\(name)`"
        rest.removeFirst(name.count + 2)
      }
    }
    return (text, names)
  }

  /// Returns a path with the user's folder in place of `~`, as shells do.
  private static func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }
}
