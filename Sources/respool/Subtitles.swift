import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct SubtitlesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subtitles",
    abstract: "Writes the subtitles of films as files.",
    discussion: """
      Each track gets a file that players find beside the film, such as film.en.srt and \
      film.pt-BR.forced.ass, in the form that the track has: SubRip, SubStation Alpha, WebVTT, or \
      the pictures of Blu-ray discs (sup). Text of MP4 files becomes SubRip. --format converts \
      text. With -o, the extension of the output selects the format, and the first track that \
      fits is written.

      Example:
        respool subtitles film.mkv --to .
        respool subtitles film.mkv -o film.srt --language en
        respool subtitles ~/Videos --to ~/Subtitles --format srt

      Exit status: 0 if all files succeeded, 1 if some failed. Files without subtitles are skipped.
      """)

  @Argument(help: "The file to read, or several files and folders.", completion: .file())
  var files: [String]

  @Option(
    name: .shortAndLong, help: "The file to write, with the extension srt, vtt, ass or sup.",
    completion: .file())
  var output: String?

  @Option(help: "A folder for the files of all tracks.", completion: .directory)
  var to: String?

  @Option(help: "Only tracks of this language, such as en or pt-BR.")
  var language: String?

  @Option(help: "Format of the files with --to: srt or vtt for text, ass, sup.")
  var format: SubtitleFormat?

  @OptionGroup
  var target: FolderArguments

  func validate() throws {
    if let language, !Self.isTag(language) {
      throw ValidationError(
        "--language \"\(language)\" is no language tag; write a code such as en, de or pt-BR")
    }
    if (output == nil) == (to == nil) {
      throw ValidationError("name the output with -o, or a folder for the outputs with --to")
    }
    if output != nil, FolderArguments.isMany(files) {
      throw ValidationError("-o takes one input file; for several, name a folder with --to")
    }
    guard let output, !target.oneOfMany else { return }
    if output == "-" {
      throw ValidationError("subtitles are not written to standard output; name a file with -o")
    }
    if SubtitleFormat(output: output) == nil {
      throw ValidationError(
        "the output \"\(PathName.last(output))\" has another extension than "
          + ".srt, .vtt, .ass or .sup")
    }
    try IneffectiveOptions.refuse(
      ["--format": format != nil], "with -o; the extension of the output selects the format")
  }

  func run() throws {
    if let folder = to {
      return try target.runFolders(
        files, to: folder, fileExtension: "srt", jobs: 1, command: "subtitles", options: words)
    }
    guard let output else { return }
    let report = OutputReport(
      inputs: files, output: output, json: target.json, isOneOfMany: target.oneOfMany)
    try report.reporting { () throws(MediaError) in
      let run = SubtitleRun(
        file: files[0], output: output, writesAll: target.oneOfMany,
        format: target.oneOfMany ? format : SubtitleFormat(output: output), language: language,
        replaces: target.replace)
      let made = try run.run(reporting: report.reportingFatal())
      if target.oneOfMany {
        for suffix in made.suffixes { CommandError.note(FolderRun.outputMark + suffix) }
      }
      for words in made.losses { CommandError.note(FolderRun.noteMark + words) }
      return [
        "status": .string("converted"), "files": .strings(made.files),
        "losses": made.losses.isEmpty ? nil : .strings(made.losses),
      ]
    }
  }

  /// Returns `true` for a tag that begins with a code of two or three letters, such as `pt-BR`.
  private static func isTag(_ text: String) -> Bool {
    guard
      let first = text.split(
        omittingEmptySubsequences: false, whereSeparator: { "-_".contains($0) }
      ).first
    else { return false }
    return (2...3).contains(first.count) && first.allSatisfy { $0.isASCII && $0.isLetter }
  }

  /// Options as command-line arguments, for one file of a folder.
  private var words: [String] {
    (language.map { ["--language", $0] } ?? []) + (format.map { ["--format", $0.rawValue] } ?? [])
  }
}

/// A file format of subtitles.
enum SubtitleFormat: String, ExpressibleByArgument, CaseIterable {
  case srt, vtt, ass, sup

  /// Creates the format of a file name's extension; `nil` for another extension.
  init?(output: String) {
    let suffix = PathName.splitExtension(PathName.last(output)).extension
    self.init(rawValue: suffix == "ssa" ? "ass" : suffix)
  }

  /// Creates the format that a track has, or that text of movies gets; `nil` if there is none for its codec.
  init?(of track: TrackDescription) {
    switch track.codec {
    case "subrip", "srt", "text", "mov_text": self = .srt
    case "ass", "ssa": self = .ass
    case "webvtt": self = .vtt
    case "hdmv_pgs_subtitle": self = .sup
    default: return nil
    }
  }

  /// Name of the container.
  var container: String { self == .vtt ? "webvtt" : rawValue }
}
