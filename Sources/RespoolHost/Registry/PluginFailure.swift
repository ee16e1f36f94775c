import Glibc

/// The reason why a plugin cannot be used, and advice for the user.
package struct PluginFailure: Error, Hashable, Sendable {
  package enum Cause: UInt8, Hashable, Sendable {
    case unreadable = 1, notSharedObject, wrongArchitecture, missingLibrary, undefinedSymbol
    case cannotLoad, missingSymbol, wrongABI, invalidStructure, refused, invalidDescription
    case crash, hang, ended, noHelper, untrusted
  }

  package var cause: Cause
  package var reason: String
  package var advice: String

  package init(_ cause: Cause, reason: String, advice: String) {
    self.cause = cause
    self.reason = reason
    self.advice = advice
  }

  /// `true` if the failure depends on the file alone, so that trying again is pointless until it changes.
  ///
  /// This includes crashes and hangs, because a new attempt would cost the time limit at every start.
  /// `respool doctor` tries again.
  package var lasts: Bool {
    switch cause {
    case .unreadable, .missingLibrary, .undefinedSymbol, .cannotLoad, .refused, .noHelper,
      .untrusted:
      false
    default: true
    }
  }
}

extension PluginFailure {
  package static func unreadable(_ why: String) -> PluginFailure {
    PluginFailure(
      .unreadable, reason: "the file cannot be read: \(why)",
      advice: "check that the file exists and that its permissions let you read it")
  }

  /// Returns the reason not to open a file that others may change; `nil` if no other user may.
  static func untrusted(file path: String) -> PluginFailure? {
    untrusted(path, "others may change the file")
  }

  /// Returns the reason not to open the files of a folder in which others may put files; `nil` if no other user may.
  static func untrusted(folder path: String) -> PluginFailure? {
    untrusted(path, "others may put files into its folder \(path)")
  }

  private static func untrusted(_ path: String, _ reason: String) -> PluginFailure? {
    FileTrust.problem(of: path).map { problem in
      PluginFailure(
        .untrusted, reason: "\(reason): \(problem)",
        advice: problem.contains("write to it")
          ? "if you trust it: `chmod go-w '\(path)'`" : "if you trust it: `chown` it to yourself")
    }
  }

  static func notSharedObject(_ what: String) -> PluginFailure {
    PluginFailure(
      .notSharedObject, reason: "the file is not a shared object but \(what)",
      advice: "put a plugin's .so file there or remove the file")
  }

  static func wrongArchitecture(found: String, expected: String) -> PluginFailure {
    PluginFailure(
      .wrongArchitecture, reason: "the file is built for \(found), and this machine is \(expected)",
      advice: "build the plugin for \(expected)")
  }

  static func missingLibrary(_ name: String) -> PluginFailure {
    PluginFailure(
      .missingLibrary, reason: "the library \(name), which the plugin needs, is not installed",
      advice: "install the Debian package that holds it: `apt-file search \(name)`, or "
        + "https://packages.debian.org/search?searchon=contents&keywords=\(name), names it")
  }

  static func undefinedSymbol(_ name: String) -> PluginFailure {
    PluginFailure(
      .undefinedSymbol,
      reason: "the plugin uses the symbol \(name), which none of its libraries has",
      advice: "a library is missing from the plugin's link line, or is older than the one it was "
        + "built with: rebuild the plugin on this machine, with `-Wl,-z,defs`")
  }

  static func cannotLoad(_ message: String) -> PluginFailure {
    PluginFailure(
      .cannotLoad, reason: "the file cannot be loaded: \(message)",
      advice: "rebuild the plugin, or copy it again")
  }

  static var tooFewFiles: PluginFailure {
    PluginFailure(
      .cannotLoad, reason: "the file cannot be loaded: \(systemMessage(EMFILE))",
      advice: "raise the limit of open files that the process has (ulimit -n)")
  }

  static func noMemory(_ message: String) -> PluginFailure {
    PluginFailure(
      .cannotLoad, reason: "there is not enough memory to load the file: \(message)",
      advice: "close other programs, or raise the limit that the process has (ulimit -v)")
  }

  static let missingSymbol = PluginFailure(
    .missingSymbol, reason: "the file is a shared object without the symbol respool_plugin",
    advice: "the file is not a Respool plugin, or its linker script hides the symbol: "
      + "see respool/plugin.h for what a plugin exports")

  static func wrongABI(_ found: ABIVersion) -> PluginFailure {
    PluginFailure(
      .wrongABI,
      reason: "the plugin is built for version \(found) of the plugin ABI, and this program has "
        + "version \(ABIVersion.host)",
      advice: found.major < ABIVersion.host.major
        ? "rebuild the plugin against this program's SDK"
        : "install the version of Respool that the plugin was built for, or rebuild it against "
          + "this program's SDK")
  }

  static func newerABI(_ found: ABIVersion, needs minor: UInt32) -> PluginFailure {
    let needed = ABIVersion(major: found.major, minor: minor)
    return PluginFailure(
      .wrongABI,
      reason: "the plugin is built for version \(found) of the plugin ABI and needs a program with "
        + "version \(needed) or later; this one has version \(ABIVersion.host)",
      advice: "install a later version of Respool, or rebuild the plugin against this program's SDK"
    )
  }

  static func invalidStructure(_ what: String) -> PluginFailure {
    PluginFailure(
      .invalidStructure, reason: "the plugin's tables are not valid: \(what)",
      advice: "rebuild the plugin against the headers of this program's SDK")
  }

  package static let refused = PluginFailure(
    .refused, reason: "the plugin reports that it cannot work here (describe returned NULL)",
    advice: "run with RESPOOL_LOG=debug to see what the plugin reports, and ask its author")

  static func invalidDescription(_ what: String) -> PluginFailure {
    PluginFailure(
      .invalidDescription, reason: "the plugin's description is not valid: \(what)",
      advice: "the plugin's author can find the error with `respool plugins verify`")
  }

  package static func crash(signal: Int32, while stage: String) -> PluginFailure {
    PluginFailure(
      .crash, reason: "the plugin crashed while \(stage): \(signalName(signal))",
      advice: "reinstall or rebuild the plugin, or remove the file; "
        + "`respool doctor` tries it again")
  }

  package static func hang(seconds: Double, while stage: String) -> PluginFailure {
    let limit = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    return PluginFailure(
      .hang, reason: "the plugin hung while \(stage): it was stopped after \(limit) s",
      advice: "remove the file, or set RESPOOL_PLUGIN_TIMEOUT to more seconds if it is only slow; "
        + "`respool doctor` tries it again")
  }

  package static func ended(while stage: String) -> PluginFailure {
    PluginFailure(
      .ended, reason: "the plugin ended the process while \(stage)",
      advice: "a plugin must not call exit: ask its author, or remove the file")
  }

  static func noHelper(_ why: String) -> PluginFailure {
    PluginFailure(
      .noHelper,
      reason: "the plugin is new and must be checked in a separate process, but \(why)",
      advice:
        "put the program `respool` beside this one or on the PATH, or set RESPOOL_HELPER to its path"
    )
  }

  /// Returns the usual name of a signal, with its meaning.
  package static func signalName(_ signal: Int32) -> String {
    let names: [Int32: String] = [
      4: "SIGILL, illegal instruction", 5: "SIGTRAP, trap", 6: "SIGABRT, abort",
      7: "SIGBUS, bad memory access", 8: "SIGFPE, arithmetic error", 9: "SIGKILL, killed",
      11: "SIGSEGV, invalid memory access", 13: "SIGPIPE, broken pipe", 15: "SIGTERM, terminated",
      31: "SIGSYS, forbidden system call",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}
