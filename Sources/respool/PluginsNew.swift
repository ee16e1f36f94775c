import ArgumentParser
import Glibc
import Respool
import RespoolMedia

struct PluginsNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Creates a folder with a small plugin that builds.",
    discussion: """
      The plugin decodes an invented codec; replace it with your own.

      Examples:
        respool plugins new Mine --sdk ~/respool
        respool plugins new mine --c --sdk ~/respool
      """)

  @Argument(help: "Name of the plugin and of the new folder: letters and digits.")
  var name: String

  @Flag(name: .customLong("c"), help: "Write the plugin in C instead of Swift.") var isC = false

  @Option(help: "Respool's source folder, which contains the SDK.", completion: .directory)
  var sdk = "../respool"

  @Option(help: "Folder in which to create the new folder.", completion: .directory) var into = "."

  func validate() throws {
    let isWord = name.utf8.enumerated().allSatisfy { index, byte in
      (0x41...0x5A).contains(byte & 0xDF) || index > 0 && ((0x30...0x39).contains(byte))
    }
    guard isWord, !name.isEmpty else {
      throw ValidationError(
        "\"\(name)\" cannot be a plugin's name: a letter, then letters and digits are expected")
    }
    if name.lowercased() == "respool" {
      throw ValidationError("\"\(name)\" is the name of the SDK; choose another one")
    }
    if into.isEmpty { throw ValidationError("--into is empty: name a folder") }
  }

  func run() throws {
    let folder = "\(into)/\(name)"
    let sdk = absolute(self.sdk)
    try CommandError.reporting { () throws(MediaError) in
      try checkSDK(sdk)
      // Before the folder is made: nothing is left if the templates are missing.
      let template = try Template(name: name, isC: isC, sdk: sdk)
      guard mkdir(folder, 0o777) == 0 else {
        throw MediaError(
          .invalidArgument, "the folder cannot be created: \(String(cString: strerror(errno)))",
          file: folder)
      }
      try template.write(to: folder)
    }
    let file =
      isC ? "\(folder)/librespool-\(name).so" : "\(folder)/.build/release/librespool-\(name).so"
    let build = isC ? "make -C \(folder)" : "swift build -c release --package-path \(folder)"
    CommandOutput.show(
      """
      Created \(folder). Next:
        \(build)
        respool plugins verify \(file)
        RESPOOL_PLUGIN_PATH=\(file[..<(file.lastIndex(of: "/") ?? file.endIndex)]) respool plugins list
      """)
  }

  /// Throws `invalidArgument` if a file needed to build the new plugin is missing from the folder.
  private func checkSDK(_ folder: String) throws(MediaError) {
    let header = "Sources/CRespool/include/respool/plugin.h"
    let files = isC ? [header] : ["Package.swift", "Sources/RespoolPlugin/Plugin.swift", header]
    let missing = files.filter { access("\(folder)/\($0)", R_OK) != 0 }
    guard !missing.isEmpty else { return }
    throw MediaError(
      .invalidArgument,
      "the folder is not Respool's source folder: \(missing.joined(separator: ", ")) "
        + "\(missing.count == 1 ? "is" : "are") missing or cannot be read; name the folder with --sdk",
      file: folder)
  }

  private func absolute(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
