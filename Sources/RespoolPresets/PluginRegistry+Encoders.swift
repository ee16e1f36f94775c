package import RespoolMedia

extension PluginRegistry {
  /// Checks the settings of all encoders of an output, without encoding.
  ///
  /// Returns about how many bytes of memory these encoders take, as far as their plugins state it. Throws the error
  /// with which an encoder refuses its settings.
  package func checkEncoders(
    of settings: ResolvedSettings, for media: MediaDescription?, threads: Int
  ) throws(MediaError) -> Int64 {
    guard settings.skipReason == nil, let media else { return 0 }
    var memory: Int64 = 0
    for track in settings.outputTracks {
      let source = media.tracks[track.source]
      let encoder: AvailablePlugins.Factory
      let wanted: EncoderSettings
      switch track.action {
      case .convertVideo(let video):
        encoder = video.encoder
        wanted = video.encoderSettings(
          source: source, timeBase: source.timeBase, threads: threads)
      case .convertAudio(let audio):
        encoder = audio.encoder
        wanted = audio.encoderSettings(source: source, threads: threads)
      case .passThrough, .convertCaptions, .drop: continue
      }
      guard let factory = factory(for: encoder) else { continue }
      do throws(MediaError) {
        let bytes = try acceptedSettings.check(wanted, of: factory)
        memory = memory.addingReportingOverflow(bytes).overflow ? .max : memory + bytes
      } catch {
        var error = error
        error.track = track.source
        throw error
      }
    }
    return memory
  }
}
