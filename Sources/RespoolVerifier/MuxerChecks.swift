import Respool
import RespoolMedia

/// Checks of a muxer: it refuses tracks that it cannot carry, and can be closed at any time.
struct MuxerChecks {
  let factory: PluginFactory

  private var suffix: String? { factory.description.extensions.first }

  func run(_ report: inout Report) {
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
  }

  private func tracks(_ codec: String) -> [TrackDescription] {
    var subtitle = TrackDescription(kind: .subtitle, codec: codec, timeBase: Rational(1, 1000))
    subtitle.language = "en"
    return [
      SyntheticMedia.videoTrack(codec, .yuv420p), SyntheticMedia.audioTrack(codec, .s16), subtitle,
    ]
  }

  /// Returns the muxer's refusal; `nil` if it opened.
  ///
  /// Later calls may fail, with a message.
  private func attempt(_ track: TrackDescription, finishes: Bool) throws(Finding) -> MediaError? {
    let files = try TemporaryFiles()
    let media = MediaDescription(format: factory.description.name, tracks: [track])
    let sink: FileSink
    do throws(MediaError) { sink = try FileSink(path: files.newPath(extension: suffix)) } catch {
      throw Finding("the output of the check cannot be created: \(error)")
    }
    let muxer: MuxerInstance
    do throws(MediaError) {
      muxer = try MuxerInstance(factory, media: media, sink: sink, settings: .init())
    } catch {
      _ = try message(of: error)
      return error
    }
    let timeBase = muxer.timeBase(ofTrack: 0)
    guard timeBase.isPositive else { throw Finding("the muxer's time base is \(timeBase)") }
    do throws(MediaError) {
      var noise = Noise(seed: 3)
      try muxer.write(
        Packet(
          track: 0, pts: 0, dts: 0, duration: 1, flags: .key,
          payload: .bytes(MediaBuffer(noise.bytes(64)))))
      if finishes { try muxer.finish(media) }
    } catch { _ = try message(of: error) }
    sink.abandon()
    return nil
  }
}
