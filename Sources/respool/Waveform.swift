import ArgumentParser
import Glibc
import Respool
import RespoolBatch
import RespoolMedia
import RespoolWaveform

struct WaveformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waveform",
    abstract: "Draws the audio of a file, or writes its peaks.",
    discussion: """
      The output's extension selects the format: png and svg are drawings, json and dat are data \
      in the formats of BBC audiowaveform, which peaks.js reads. By default, drawings have a bin \
      for each column, and data has one for every 256 samples.

      Example:
        respool waveform interview.wav -o interview.png
        respool waveform film.mkv -o scene.svg --from 1:30 --to 2:00 --split-channels
        respool waveform song.flac -o song.dat --zoom 512 --bits 16
        respool waveform ~/Music -o ~/Drawings --format svg
      """)

  @Argument(help: "The file to read, or several files and folders.", completion: .file())
  var files: [String]

  @Option(
    name: .shortAndLong,
    help: "The file to write, or - for standard output; a folder for the outputs of several files.",
    completion: .file())
  var output: String

  @Option(help: "Output format (default: selected by the extension, png in a folder).")
  var format: WaveformFormat?

  @Option(
    help:
      "Number of bins for all the audio; data has at most this number, each of whole samples.")
  var bins: Int?

  @Option(help: "Number of samples per bin.")
  var zoom: Int?

  @Option(help: "Start time, as seconds, m:ss or h:mm:ss.")
  var from: TimeArgument?

  @Option(help: "End time.")
  var to: TimeArgument?

  @Option(help: "The track with this number, as respool inspect shows it.")
  var track: Int?

  @Flag(help: "Keep the channels separate instead of mixing them to one.")
  var splitChannels = false

  @Option(help: "Width and height of a drawing (default: 1800x280).")
  var size: SizeArgument?

  @Option(help: "Color of a drawing (default: #2a5fc8).")
  var color: RGBAColor?

  @Option(help: "Background color, or transparent (default: #ffffff).")
  var background: RGBAColor?

  @Option(
    help: "Amplitude factor; auto scales the loudest sample to the edge (default: 1).")
  var amplitudeScale: WaveformRenderer.AmplitudeScale?

  @Option(help: "Bits per value in data (default: 8).")
  var bits: Waveform.SampleDepth?

  @OptionGroup
  var target: FolderArguments

  func validate() throws {
    try target.check(files, output)
    if bins != nil, zoom != nil {
      throw ValidationError("--bins and --zoom exclude each other")
    }
    if let bins, bins < 1 { throw ValidationError("--bins is \(bins); it takes 1 or more") }
    if let zoom, zoom < 1 { throw ValidationError("--zoom is \(zoom); it takes 1 or more") }
    if let from, let to, to.time <= from.time {
      throw ValidationError("--to must be later than --from")
    }
    if output == "-", format == nil {
      throw ValidationError("--format is required for standard output")
    }
    if format == nil, !FolderArguments.isMany(files), WaveformFormat(output: output) == nil {
      throw ValidationError(
        "the format of \"\(PathName.last(output))\" is unknown: use the extension .png, .svg, "
          + ".json or .dat, or --format")
    }
    if chosenFormat.isDrawing {
      try IneffectiveOptions.refuse(
        ["--bits": bits != nil], "on a drawing; json and dat have values")
    } else {
      try IneffectiveOptions.refuse(
        [
          "--size": size != nil, "--color": color != nil, "--background": background != nil,
          "--amplitude-scale": amplitudeScale != nil,
        ], "on data; png and svg are drawings")
    }
  }

  func run() throws {
    if FolderArguments.isMany(files) {
      return try target.runFolders(
        files, to: output, fileExtension: chosenFormat.rawValue, jobs: coreCount(),
        command: "waveform", options: words)
    }
    let file = files[0]
    let report = OutputReport(
      inputs: files, output: output, json: target.json, isOneOfMany: target.oneOfMany)
    try report.reporting { () throws(MediaError) in
      let drawing = OutputFile(path: output, replaces: target.replace)
      try drawing.check(reading: [file])
      let registry = PluginRegistry()
      CommandSandbox.keepPrivate([file])
      try CommandSandbox.enter(
        registry, reading: [file],
        writing: output == "-"
          ? nil : OutputBroker.Outputs(output, replacing: target.replace),
        reporting: report.reportingFatal())
      let stop = ReadCancellation()
      // For standard output, no file has to be removed.
      if output != "-" { try StopSignal.watch { stop.cancel() } }
      let asset = Asset(path: file, registry: registry)
      let waveform = try WaveformReader(asset: asset, settings: try settings(for: asset))
        .read(cancelledBy: stop)
      for error in waveform.damage.prefix(4) { CommandError.note("respool: note: \(error)") }
      try drawing.write(try content(waveform))
      return [
        "status": .string("converted"), "format": .string(chosenFormat.rawValue),
        "bins": .integer(Int64(waveform.binCount)),
        "sampleRate": .integer(Int64(waveform.sampleRate)),
        "losses": waveform.damage.isEmpty
          ? nil : .strings(waveform.damage.map { "the file is damaged: \($0.description)" }),
      ]
    }
  }

  private var chosenFormat: WaveformFormat {
    format ?? (FolderArguments.isMany(files) ? nil : WaveformFormat(output: output)) ?? .png
  }

  /// Options as command-line arguments, for one file of a folder.
  private var words: [String] {
    var words = ["--format", chosenFormat.rawValue]
    func add(_ name: String, _ value: String?) { if let value { words += [name, value] } }
    add("--bins", bins.map(String.init))
    add("--zoom", zoom.map(String.init))
    add("--from", from?.text)
    add("--to", to?.text)
    add("--track", track.map(String.init))
    add("--size", size.map { "\($0.width)x\($0.height)" })
    add("--color", color?.hexText)
    add("--background", background?.hexText)
    add("--amplitude-scale", amplitudeScale?.defaultValueDescription)
    add("--bits", bits?.defaultValueDescription)
    return words + (splitChannels ? ["--split-channels"] : [])
  }

  private func settings(for asset: Asset) throws(MediaError) -> WaveformReader.Settings {
    var settings = WaveformReader.Settings(mixesChannels: !splitChannels)
    if let track {
      let tracks = try asset.tracks()
      do throws(MediaError) {
        let number = try TrackNumber(typed: track, trackCount: tracks.count)
        settings.trackID = tracks[number.index].trackID
      } catch { throw error.inFile(asset.path ?? "") }
    }
    if let bins {
      // Readers of the data calculate times from the number of audio samples in a bin.
      settings.resolution = chosenFormat.isDrawing ? .bins(bins) : .wholeBins(bins)
    } else if let zoom {
      settings.resolution = .samplesPerBin(zoom)
    } else if chosenFormat.isDrawing {
      settings.resolution = .bins(min(1 << 20, max(1, size?.width ?? 1800)))
    } else {
      settings.resolution = .samplesPerBin(256)
    }
    if from != nil || to != nil {
      let start = from?.time ?? .zero
      settings.timeRange = TimeRange(start: start, end: to?.time ?? .positiveInfinity)
    }
    return settings
  }

  private func content(_ waveform: Waveform) throws(MediaError) -> [UInt8] {
    var renderer = WaveformRenderer(
      color: color ?? .standard, background: background ?? .white,
      amplitudeScale: amplitudeScale ?? .factor(1))
    if let size {
      (renderer.width, renderer.height) = (size.width, size.height)
    } else if bins != nil || zoom != nil {
      renderer.width = max(1, waveform.binCount)
      if chosenFormat.isDrawing, renderer.width > 32767 {
        throw MediaError(
          .invalidArgument,
          "\(renderer.width) bins are too many for a pixel each; use fewer bins, or --size")
      }
    }
    let bits = bits ?? .bits8
    switch chosenFormat {
    case .png: return try renderer.png(waveform)
    case .svg: return Array(try renderer.svg(waveform).utf8)
    case .json: return Array(waveform.json(bits).utf8)
    case .dat: return try waveform.dat(bits)
    }
  }
}
