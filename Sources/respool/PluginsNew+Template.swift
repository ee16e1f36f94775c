import Glibc
import Respool
import RespoolMedia

extension PluginsNew {
  /// Files of a new plugin, with its name filled in.
  struct Template {
    private let name: String
    private let isContainer: Bool
    private let takesSamples: Bool
    private let sdk: SDK
    private let folder: String
    /// Files of the template, and their places in the new folder.
    private let files: [(source: String, target: String)]

    /// Throws `io` if the installation has no templates.
    init(name: String, kind: Kind, media: Media, language: Language, sdk: SDK) throws(MediaError) {
      guard let folder = Installation.sharedFolder("template", source: "Plugins/Template") else {
        throw MediaError(
          .io,
          "the plugin templates are missing; install the package respool-dev, or Respool again with make install"
        )
      }
      self.name = name
      self.folder = folder
      self.sdk = sdk
      isContainer = kind == .muxer
      takesSamples = kind == .decoder || kind == .demuxer
      let own = media == .video ? "video/\(kind)" : "\(kind)"
      var files = [("\(own)/preset.yaml", "preset.yaml")]
      files.append(
        media == .video
          ? ("video/sample.mov", "sample.mov")
          : kind == .demuxer
            ? ("\(kind)/sample.au", "sample.au") : ("\(kind)/sample.wav", "sample.wav"))
      let shared = language == .swift ? "Swift" : "C"
      files += [("\(shared)/Makefile", "Makefile"), ("\(shared)/gitignore", ".gitignore")]
      if language == .swift {
        files.append(("\(own)/Plugin.swift", "Sources/\(name)Module/Plugin.swift"))
        files += ["Package.swift", "plugin.map"].map { ("Swift/\($0)", $0) }
      } else {
        files.append(("\(own)/plugin.\(language)", "plugin.\(language)"))
      }
      self.files = files
    }

    func write(to target: String) throws(MediaError) {
      for file in files {
        let path = target + "/" + file.target
        makeFolders(above: path)
        let source = try FileSource(path: folder + "/" + file.source)
        let bytes = try source.bytes(at: 0, count: source.size)
        let sink = try FileSink(path: path)
        let text = String(validating: bytes, as: UTF8.self)
        try sink.write(text.map { Array(filled($0).utf8) } ?? bytes)
        try sink.finish()
      }
    }

    /// Returns the text with the placeholders replaced.
    ///
    /// `Template` is the plugin's name, `template` its factory's, and `../../..` the folder of the SDK.
    private func filled(_ text: String) -> String {
      text.replacing("Template", with: name).replacing("template", with: name.lowercased())
        .replacing("../../..", with: sdk.folder)
        .replacing("RESPOOL ?= respool", with: "RESPOOL ?= \(command)")
        .replacing("SAMPLE_OPTION", with: takesSamples ? " --sample $(SAMPLE)" : "")
        .replacing("OUTPUT_EXTENSION", with: outputExtension)
    }

    /// Extension of the output in the Makefile: that of the template's muxer, else the container of the preset, which
    /// the author may change.
    private var outputExtension: String {
      isContainer ? "au" : #"$(shell sed -n 's/^container: *\([a-z0-9]*\).*/\1/p' preset.yaml)"#
    }

    /// The command as the Makefile starts it: its name if it is on the `PATH`, else its path.
    private var command: String {
      let own = SDK.absolute(CommandLine.executablePath)
      return SDK.program("respool").map(SDK.absolute) == own ? "respool" : own
    }

    private func makeFolders(above path: String) {
      for slash in path.indices where path[slash] == "/" { mkdir(String(path[..<slash]), 0o777) }
    }
  }
}
