import Glibc
import Respool
import RespoolMedia

extension PluginsNew {
  /// Template folder of a new plugin, with the plugin's name filled in.
  struct Template {
    let name: String
    let sdk: String
    let folder: String
    let files: [String]

    /// Throws `io` if the installation has no templates.
    init(name: String, isC: Bool, sdk: String) throws(MediaError) {
      guard let folder = Installation.sharedFolder("template", source: "Plugins/Template") else {
        throw MediaError(
          .io, "the plugin templates are missing; install Respool again with make install")
      }
      self.name = name
      self.sdk = sdk
      self.folder = folder + (isC ? "/C" : "/Swift")
      files =
        isC
        ? ["plugin.c", "Makefile", ".gitignore"]
        : ["Package.swift", "plugin.map", "Sources/TemplateModule/Plugin.swift", ".gitignore"]
    }

    func write(to target: String) throws(MediaError) {
      for file in files {
        let text = try TextFile.read(folder + "/" + file, called: "template")
        let path = target + "/" + file.replacing("Template", with: name)
        makeFolders(above: path)
        let sink = try FileSink(path: path)
        try sink.write(Array(filled(text).utf8))
        try sink.finish()
      }
    }

    /// Returns the text with the placeholders replaced.
    ///
    /// `Template` is the plugin's name, `reverse` its codec's and `../../..` the folder of the SDK.
    private func filled(_ text: String) -> String {
      text.replacing("Template", with: name).replacing("reverse", with: name.lowercased())
        .replacing("../../..", with: sdk)
    }

    private func makeFolders(above path: String) {
      for slash in path.indices where path[slash] == "/" { mkdir(String(path[..<slash]), 0o777) }
    }
  }
}
