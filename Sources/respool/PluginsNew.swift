import ArgumentParser
import Glibc
import Respool
import RespoolMedia

struct PluginsNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Creates a folder with a small plugin that builds.",
    discussion: """
      The plugin is a whole one: G.711 mu-law for codecs, the AU container, or a filter for the level of audio. With \
      --video, the codec is v308, uncompressed video in QuickTime, and the filter changes the brightness. Its Makefile builds it, verifies it, converts a sample with it and installs it. Replace its parts by your own.

      Examples:
        respool plugins new Mine --encoder --cpp
        respool plugins new Bright --filter --video
        make -C Mine verify try
      """)

  enum Kind: String, EnumerableFlag { case encoder, decoder, demuxer, muxer, filter }
  enum Media: String, EnumerableFlag { case audio, video }
  enum Language: String, EnumerableFlag { case swift, c, cpp }

  @Argument(help: "Name of the plugin and of the new folder: letters and digits.")
  var name: String

  @Flag(help: "Factory that the plugin provides.") var kind = Kind.decoder

  @Flag(help: "Media of an encoder, a decoder or a filter.") var media = Media.audio

  @Flag(help: "Language of the plugin.") var language = Language.swift

  @Option(
    help: """
      Respool's source folder, or the prefix in which its SDK is installed. By default those that the command \
      belongs to.
      """, completion: .directory)
  var sdk: String?

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
    if media == .video, kind == .demuxer || kind == .muxer {
      throw ValidationError(
        "--video goes with --encoder, --decoder or --filter: the template of a \(kind) has one track, of audio; "
          + "leave --video out")
    }
    if into.isEmpty { throw ValidationError("--into is empty: name a folder") }
  }

  func run() throws {
    let folder = "\(into)/\(name)"
    try CommandError.reporting { () throws(MediaError) in
      // Before the folder is made: nothing is left if something is missing.
      let sdk = try SDK(sdk, for: language)
      let template = try Template(
        name: name, kind: kind, media: media, language: language, sdk: sdk)
      try sdk.checkTools()
      guard mkdir(folder, 0o777) == 0 else {
        throw MediaError(
          .invalidArgument, "the folder cannot be created: \(String(cString: strerror(errno)))",
          file: folder)
      }
      try template.write(to: folder)
    }
    CommandOutput.show(
      """
      Created \(folder). Next:
        make -C \(folder)            # builds \(language == .swift ? ".build/release/" : "")librespool-\(name).so
        make -C \(folder) verify     # checks it against the contract of plugins
        make -C \(folder) try        # converts a sample with it
        make -C \(folder) install    # copies it to your plugin folder
      """)
  }
}
