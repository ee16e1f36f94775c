import ArgumentParser
import Respool
import RespoolMedia

struct PluginsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the plugins that were found, and why some are not used.",
    discussion: """
      Examples:
        respool plugins list
        respool plugins list --json
        RESPOOL_PLUGIN_PATH=~/my-plugins respool plugins list
      """)

  @Flag(help: "Print one JSON document.") var json = false

  @Flag(help: "Print a Markdown table of formats and codecs.") var markdown = false

  func run() {
    let plugins = PluginRegistry().plugins
    if markdown {
      CommandOutput.show(PluginsMarkdown.text(plugins))
      return
    }
    if json {
      CommandOutput.show(JSON.object(["plugins": .array(plugins.map(Self.document))]))
      return
    }
    let used = plugins.filter { $0.status == .ok }
    if plugins.isEmpty {
      CommandOutput.show(
        "No plugins were found. `respool doctor` shows where they are searched for.")
    }
    var rows = [["NAME", "VERSION", "LICENSE", "PROVIDES"]]
    for plugin in used.sorted(by: { $0.name < $1.name }) {
      for (index, line) in Self.provides(plugin).enumerated() {
        rows.append(
          index == 0 ? [plugin.name, plugin.version, plugin.license, line] : ["", "", "", line])
      }
    }
    if !used.isEmpty { CommandOutput.show(table(rows)) }
    for (title, status) in [
      ("Failed", PluginRecord.Status.failed), ("Shadowed", .shadowed), ("Disabled", .disabled),
    ] {
      let others = plugins.filter { $0.status == status }
      if others.isEmpty { continue }
      CommandOutput.show("\n\(title):")
      for plugin in others {
        CommandOutput.show("  \(plugin.name) (\(plugin.path))")
        if let reason = plugin.reason { CommandOutput.show("    \(reason)") }
        if let advice = plugin.advice { CommandOutput.show("    what to do: \(advice)") }
      }
    }
  }

  private static func document(_ plugin: PluginRecord) -> JSON {
    .object([
      "name": .string(plugin.name), "path": .string(plugin.path),
      "version": .string(plugin.version), "license": .string(plugin.license),
      "status": .string(plugin.status.rawValue), "reason": plugin.reason.map { .string($0) },
      "advice": plugin.advice.map { .string($0) },
      "provides": .array(
        plugin.factories.map {
          .object(["kind": .string("\($0.kind)"), "name": .string($0.name)])
        }),
    ])
  }

  /// Returns one line for each kind: `demuxers: matroska, webm`.
  private static func provides(_ plugin: PluginRecord) -> [String] {
    FactoryDescription.Kind.allCases.flatMap { kind -> [String] in
      let names = plugin.factories.filter { $0.kind == kind }.map(\.name)
      if names.isEmpty { return [] }
      let title = names.count == 1 ? "\(kind)" : "\(kind)s"
      var lines = wrapped(names, width: 56)
      lines[0] = "\(title): \(lines[0])"
      return lines
    }
  }
}

/// Returns the rows with aligned columns, separated by two spaces.
func table(_ rows: [[String]]) -> String {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], cell.count)
    }
  }
  return rows.map { row in
    var line = ""
    for (column, cell) in row.enumerated() {
      line += cell
      if column < row.count - 1 {
        line += String(repeating: " ", count: widths[column] - cell.count + 2)
      }
    }
    while line.last == " " { line.removeLast() }
    return line
  }.joined(separator: "\n")
}

/// Returns the words, separated by commas, in lines of about `width` characters; one line for no words.
func wrapped(_ words: [String], width: Int) -> [String] {
  var lines = [""]
  for (index, word) in words.enumerated() {
    let text = index < words.count - 1 ? word + "," : word
    let last = lines[lines.count - 1]
    if !last.isEmpty, last.count + text.count + 1 > width {
      lines.append("  " + text)
    } else {
      lines[lines.count - 1] += (last.isEmpty ? "" : " ") + text
    }
  }
  return lines
}
