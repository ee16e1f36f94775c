import RespoolHost
import RespoolMedia

/// Checks that a demuxer refuses files of other formats.
struct DemuxerForeignChecks {
  let factory: PluginFactory
  let finder: CodecFinder
  /// Files that the demuxer must refuse.
  let rejected: [String]

  /// Cause of findings about files that must be refused.
  static let opened = "a file of another format is opened"

  func run(_ report: Report) {
    report.check("files of other formats") { () throws(Finding) in
      guard factory.description.tier != .fallback else {
        throw .skipped("a fallback may read every format")
      }
      return try refusesFiles()
    }
    for path in rejected {
      report.check("\(path): refused") { () throws(Finding) in try refuses(path) }
    }
  }

  /// Opens a file of each muxer that does not write the demuxer's format.
  private func refusesFiles() throws(Finding) -> String {
    let media = MadeMedia(finder: finder)
    let files = try TemporaryFiles()
    var refused: [String] = []
    for muxer in finder.foreignMuxers(for: factory.description) {
      guard let written = media.file(of: muxer) else { continue }
      let source = try files.source(
        written.bytes, extension: muxer.description.extensions.first)
      let demuxer: DemuxerInstance
      do throws(MediaError) {
        demuxer = try PluginCall.run("open") { () throws(MediaError) in
          try DemuxerInstance(factory, source, reason: "")
        }
      } catch {
        _ = try message(of: error)
        refused.append(muxer.description.name)
        continue
      }
      // A demuxer of several formats may list only some extensions.
      let codecs = demuxer.media.tracks.map(\.codec)
      guard codecs != written.tracks.map(\.codec) else { continue }
      let found = codecs.isEmpty ? "no tracks" : codecs.joined(separator: " and ")
      throw Finding(
        "opened a file of the format \(muxer.description.name) as \(demuxer.media.format), with "
          + "\(found); an error was expected",
        cause: Self.opened)
    }
    guard !refused.isEmpty else { throw .skipped("no muxer writes files of another format") }
    return "refused: \(refused.joined(separator: ", "))"
  }

  private func refuses(_ path: String) throws(Finding) -> String {
    let demuxer: DemuxerInstance
    do throws(MediaError) {
      let source = try FileSource(path: path)
      demuxer = try PluginCall.run("open") { () throws(MediaError) in
        try DemuxerInstance(factory, source, reason: "")
      }
    } catch {
      guard error.code != .io else { throw Finding("the file cannot be read: \(error.message)") }
      return try message(of: error)
    }
    throw Finding(
      "opened the file as \(demuxer.media.format), with "
        + "\(demuxer.media.tracks.count.counting("track")); an error was expected, because of "
        + "--reject")
  }
}
