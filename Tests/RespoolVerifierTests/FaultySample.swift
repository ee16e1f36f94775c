import Foundation
import RespoolHost
import RespoolMedia
import TestFixtures
import Testing

/// A file in the container of faulty.c with H.264 and AAC, or with PCM, written by the correct plugin.
enum FaultySample {
  /// Writes the tracks of a file of `Tests/Media` to the file `sample.faulty`, and returns its path.
  static func write(
    _ media: String = "clap-and-flash.mp4", in workshop: PluginWorkshop
  ) throws -> String {
    let path = workshop.path("sample.faulty")
    try bytes(media).write(to: URL(filePath: path))
    return path
  }

  private static func bytes(_ name: String) throws -> Data {
    let workshop = try PluginWorkshop()
    let plugin = PluginRecord(
      describingFileAt: try workshop.build(
        "faulty.c", defining: ["CARRIES_AAC"], as: "faulty.so"))
    let muxers = plugin.provided.filter { $0.description.kind == .muxer }
    let media = PluginWorkshop.sources.deletingLastPathComponent()
      .appending(path: "Media/\(name)").path
    let demuxer = try PluginRegistry.standard.openDemuxer(try FileSource(path: media))
    let sink = try FileSink()
    var written = demuxer.media
    for index in written.tracks.indices where written.tracks[index].kind == .video {
      written.tracks[index].sampleAspect = Rational(4, 3)
    }
    let muxer = try MuxerInstance(
      try #require(muxers.first), media: written, sink: sink, settings: .init())
    while let packet = try demuxer.read() {
      var copy = try demuxer.source.bytes(of: packet)
      let bases = (
        demuxer.media.tracks[packet.track].timeBase, muxer.timeBase(ofTrack: packet.track)
      )
      copy.pts = copy.pts.map { bases.0.convert($0, to: bases.1) }
      copy.dts = copy.dts.map { bases.0.convert($0, to: bases.1) }
      copy.duration = bases.0.convert(copy.duration, to: bases.1)
      copy.trimEnd = bases.0.convert(copy.trimEnd, to: bases.1)
      try muxer.write(copy)
    }
    try muxer.finish(demuxer.media)
    return Data(try sink.take())
  }
}
