import CVerifier
import RespoolHost
import RespoolMedia

/// Checks of a muxer: its files have what was written, and it reports failures.
struct MuxerChecks {
  let factory: PluginFactory
  let finder: CodecFinder

  private var suffix: String? { factory.description.extensions.first }

  func run(_ report: Report) {
    report.check("unknown codec") { () throws(Finding) in
      for track in tracks("no_such_codec") {
        guard let refusal = try attempt(track, finishes: false) else {
          throw Finding("opened for the codec no_such_codec; an error was expected")
        }
        guard refusal.code == .unsupported || refusal.code == .invalidArgument else {
          throw Finding("refused with the code \(refusal.code.rawValue); unsupported was expected")
        }
      }
      return "refused with a reason"
    }
    for codec in factory.description.codecs {
      report.check("\(codec): closed without and with finishing") { () throws(Finding) in
        var opened = 0
        for track in tracks(codec) {
          for finishes in [false, true] {
            if try attempt(track, finishes: finishes) == nil { opened += 1 }
          }
        }
        return opened > 0 ? "opened" : "refused without the codec's configuration, with a reason"
      }
    }
    let made = MadeMedia(finder: finder)
    var single: [Encoding] = []
    var media: [Encoding] = []
    report.prepare("media to write") {
      single = factory.description.codecs.compactMap { codec in
        made.encoding(codec).flatMap { finder.accepts(factory, $0.track) ? $0 : nil }
      }
      media = made.encodings(for: factory)
    }
    for encoding in single {
      report.check("\(encoding.track.codec): read back") { () throws(Finding) in
        try readBack([encoding])
      }
    }
    guard !media.isEmpty else { return }
    if media.count > 1 {
      report.check("video and audio: read back") { () throws(Finding) in try readBack(media) }
    }
    let one = Array(media.prefix(1))
    MuxerLifetimeChecks(factory: factory, media: one).run(report)
  }

  private func tracks(_ codec: String) -> [TrackDescription] {
    var subtitle = TrackDescription(kind: .subtitle, codec: codec, timeBase: Rational(1, 1000))
    subtitle.language = "en"
    return [
      EncoderInput.video(codec, .yuv420p).track, EncoderInput.audio(codec, .s16).track, subtitle,
    ]
  }

  /// Writes a file and reads it with the demuxers of the plugin and of the host.
  private func readBack(_ media: [Encoding]) throws(Finding) -> String {
    let written: WrittenFile
    do throws(Finding) { written = try WrittenFile(factory, media) } catch {
      // A container that carries one track refuses two.
      if media.count > 1, error.words.hasPrefix("the muxer cannot be opened") { return error.words }
      throw error
    }
    let files = try TemporaryFiles()
    let source = try files.source(written.bytes, extension: suffix)
    var readers: [String] = []
    for demuxer in finder.demuxers(source, of: factory.description) {
      let timing = DemuxerSettings(
        timing: PacketTiming([.exactEnd, .shownStart]).intersection(
          demuxer.description.packetTiming))
      let instance: DemuxerInstance
      do throws(MediaError) {
        instance = try PluginCall.run("open") { () throws(MediaError) in
          try DemuxerInstance(demuxer, source, settings: timing, reason: "")
        }
      } catch {
        // The host then uses another demuxer.
        if error.code == .unsupported { continue }
        throw Finding("\(demuxer.description.name) does not open the file: \(error.message)")
      }
      let reader = demuxer.description.name
      let read: ReadFile
      do throws(Finding) { read = try ReadFile(instance) } catch {
        throw Finding("\(reader): \(error.words)", cause: error.cause)
      }
      try read.checkTrims()
      try FileComparison(written: written, read: read, reader: reader).check()
      readers.append(reader)
    }
    guard !readers.isEmpty else {
      throw .skipped("written, but not compared: no demuxer reads the file")
    }
    return "\(written.bytes.count.counting("byte")), read by \(readers.joined(separator: " and "))"
  }

  /// Returns the muxer's refusal; `nil` if it opened.
  ///
  /// Later calls may fail, with a message.
  private func attempt(_ track: TrackDescription, finishes: Bool) throws(Finding) -> MediaError? {
    let media = MediaDescription(format: factory.description.name, tracks: [track])
    let sink: FileSink
    do throws(MediaError) { sink = try FileSink() } catch {
      throw Finding("the output of the check cannot be created: \(error)")
    }
    var muxer: MuxerInstance?
    do throws(MediaError) {
      muxer = try PluginCall.run("open") { () throws(MediaError) in
        try MuxerInstance(factory, media: media, sink: sink, settings: .init())
      }
    } catch {
      _ = try message(of: error)
      return error
    }
    let timeBase = PluginCall.run("time_base") { muxer?.timeBase(ofTrack: 0) ?? .unknown }
    guard timeBase.isPositive else { throw Finding("the muxer's time base is \(timeBase)") }
    do throws(MediaError) {
      var noise = Noise(seed: 3)
      let packet = Packet(
        track: 0, pts: 0, dts: 0, duration: 1, flags: .key,
        payload: .bytes(MediaBuffer(noise.bytes(64))))
      try PluginCall.run("write") { () throws(MediaError) in try muxer?.write(packet) }
      if finishes {
        try PluginCall.run("finish") { () throws(MediaError) in try muxer?.finish(media) }
      }
    } catch { _ = try message(of: error) }
    PluginCall.run("close") { muxer = nil }
    return nil
  }
}
