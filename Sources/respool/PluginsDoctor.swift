import ArgumentParser
import Glibc
import Respool
import RespoolMedia

struct PluginsDoctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Shows plugins that do not work, and what to do.",
    discussion: """
      Shows also where plugins are searched for, and the sandbox that is in force. Plugins that crashed or \
      hung when they were opened are tried again. Those that crashed or hung in a batch are listed with the \
      file and the reason, until they are replaced.

      Examples:
        respool doctor
        RESPOOL_LOG=debug respool doctor

      Exit status: 1 if there are problems.
      """)

  func run() throws {
    let registry = PluginRegistry(retriesFailures: true)
    var problems = 0
    CommandOutput.show("Search path, the first of two plugins with the same name is used:")
    for folder in registry.searchPath.folders {
      let plugins = registry.plugins.filter {
        parent($0.path) == folder.path.trimmedSlash && access($0.path, F_OK) == 0
      }
      let what: String
      if access(folder.path, F_OK) != 0 {
        what = "does not exist"
      } else if access(folder.path, R_OK | X_OK) != 0 {
        what = "cannot be read"
        problems += 1
      } else {
        what = plugins.count == 1 ? "1 plugin" : "\(plugins.count) plugins"
      }
      let files = folder.isShared ? "librespool-*.so" : "*.so"
      CommandOutput.show("  \(folder.path)  (\(files))  \(what)")
    }
    CommandOutput.show("\nCache of plugin descriptions:")
    if let path = registry.cachePath {
      let state =
        access(path, R_OK) == 0 ? "in use" : "cannot be written or read: every start is slow"
      if access(path, R_OK) != 0, !registry.plugins.isEmpty { problems += 1 }
      CommandOutput.show("  \(path)  \(state)")
    } else {
      CommandOutput.show("  none: neither XDG_CACHE_HOME nor HOME is set, so every start is slow")
      problems += 1
    }
    CommandOutput.show("\nPlugins:")
    let used = registry.plugins.filter { $0.status == .ok }
    CommandOutput.show(
      "  \(used.count) work; this program has version \(ABIVersion.host) of the plugin ABI")
    // A plugin from an earlier version works; its version tells what it cannot know.
    for plugin in used {
      guard let abi = plugin.abi, abi != .host else { continue }
      CommandOutput.show("  \(plugin.name) is built for version \(abi) of the plugin ABI")
    }
    for plugin in registry.plugins where plugin.status != .ok {
      if plugin.status == .failed { problems += 1 }
      let state =
        switch plugin.status {
        case .ok: "works"
        case .failed: "FAILED"
        case .shadowed: "is shadowed"
        case .disabled: "is disabled"
        }
      CommandOutput.show("  \(plugin.name) \(state)")
      CommandOutput.show("    file: \(plugin.path)")
      if let reason = plugin.reason { CommandOutput.show("    \(reason)") }
      if let advice = plugin.advice { CommandOutput.show("    what to do: \(advice)") }
    }
    problems += showCrashes(registry)
    for problem in registry.problemsOfChoices { CommandOutput.show("  \(problem)") }
    problems += registry.problemsOfChoices.count
    for kind in FactoryDescription.Kind.allCases
    where kind != .filter && registry.factories(kind).isEmpty {
      CommandOutput.show("  no plugin provides a \(kind): nothing can be converted without one")
      problems += 1
    }
    problems += showSandbox(registry)
    CommandOutput.show(
      problems == 0 ? "\nNo problems found." : "\nProblems found: \(problems).")
    if problems > 0 { throw ExitCode(1) }
  }

  /// Tries the sandbox and shows what it had for effect; returns 1 if it is incomplete.
  private func showSandbox(_ registry: PluginRegistry) -> Int {
    CommandOutput.show("\nSandbox of processes that read files:")
    let sandbox = Sandbox.tried(opening: registry)
    let version = Sandbox.landlockVersion.map { "Landlock, version \($0)" } ?? "no Landlock"
    CommandOutput.show(
      sandbox.restrictsFiles
        ? "  files: only plugins and libraries can be opened (\(version))"
        : "  files: NOT restricted (\(version))")
    CommandOutput.show(
      sandbox.restrictsCalls
        ? "  system calls: \(Sandbox.allowedCallCount) are allowed; no network, no processes (seccomp)"
        : "  system calls: NOT restricted")
    guard !sandbox.isComplete else { return 0 }
    if let reason = sandbox.reason { CommandOutput.show("    \(reason)") }
    // Turned off by the user, who knows it.
    return Sandbox.isWanted ? 1 : 0
  }

  /// Shows the last crash in a job of each plugin; returns the number of plugins.
  private func showCrashes(_ registry: PluginRegistry) -> Int {
    let crashes = Dictionary(
      grouping: PluginCrashes(registry)?.ofUnchangedPlugins() ?? [], by: \.plugin)
    var count = 0
    for plugin in registry.plugins {
      guard let own = crashes[plugin.path], let last = own.last else { continue }
      count += 1
      let jobs = own.count == 1 ? "a job" : "\(own.count) jobs"
      CommandOutput.show("  \(plugin.name) ended \(jobs); the last process \(last.reason)")
      CommandOutput.show("    file: \(plugin.path)")
      let moment = MetadataDate.text(microseconds: last.time * 1_000_000).map {
        "\($0.prefix(19))Z"
      }
      CommandOutput.show("    when it worked on \(last.file), \(moment ?? "at an unknown time")")
      CommandOutput.show(
        "    what to do: give the file and this text to the plugin's author; it is forgotten when "
          + "the plugin is replaced")
    }
    return count
  }

  private func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[..<slash]).trimmedSlash
  }
}

extension String {
  fileprivate var trimmedSlash: String {
    var text = self
    while text.count > 1, text.last == "/" { text.removeLast() }
    return text
  }
}
