import Glibc

/// Help text of the whole command, as the parser makes it.
///
/// Making it would take longer than the rest of such a run. A test compares it with the parser's, and
/// writes it again with RECORD_SNAPSHOTS=1.
enum QuickHelp {
  /// The help text; `nil` if the terminal is too narrow for it.
  static var fittingText: String? {
    guard getenv("COLUMNS") == nil else { return nil }
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col < 80 { return nil }
    return text
  }

  private static let text = """
    OVERVIEW: Converts folders of audio and video.

    Example:
      respool batch ~/Videos --to ~/Converted --preset web-720p

    USAGE: respool <subcommand>

    OPTIONS:
      --version               Show the version.
      -h, --help              Show help information.

    SUBCOMMANDS:
      batch                   Converts folders of audio and video.
      watch                   Converts files when they come into a folder.
      status                  Shows the state of an output folder or a plan.
      report                  Makes a page about an output folder.
      serve                   Shows a page about an output folder in browsers.
      plan                    Plans a batch for one machine or many.
      work                    Does a share of a plan.
      collect                 Puts the results of shares into the ledger.
      submit                  Gives a plan to a scheduler.
      restore                 Puts back originals that a batch has replaced.
      pause                   Pauses the work on an output folder.
      resume                  Continues paused work.
      convert                 Converts one file.
      concat                  Joins clips into one file.
      thumbnails              Extracts images from a video, singly or as a sheet.
      subtitles               Writes the subtitles of films as files.
      inspect                 Shows what is in a file.
      check                   Reads and decodes whole files to find damage.
      waveform                Draws the audio of a file, or writes its peaks.
      hash                    Prints a hash for every frame or packet.
      presets                 Lists, shows, checks, makes and imports presets.
      plugins                 Lists, explains, checks, chooses and makes plugins.
      doctor                  Shows plugins that do not work, and what to do.

      See 'respool help <subcommand>' for detailed help.
    """
}
