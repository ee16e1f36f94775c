import CRespool
package import RespoolMedia

extension PluginRegistry {
  /// Bytes of a file that are given to demuxers' probe functions.
  private static let probeSize = 32 << 10

  /// A demuxer that is ready to be opened.
  private struct Candidate {
    let factory: PluginFactory
    let score: Int
    let reason: String
  }

  /// Use of a demuxed file, which determines how its packets are reported.
  package enum DemuxingPurpose: Sendable {
    /// Tracks begin and end at the exact audio sample, if the file states it.
    case decoding
    /// As `decoding`, and every frame has a presentation time, even if the container stores none (AVI) and
    /// only a decoder could find it.
    case copying
    /// Packets as FFmpeg reports them: the last packet of an MP4 is whole, and encoder delay in Matroska is
    /// part of the movie.
    case comparing
    /// As `decoding`, and the demuxer reports damage that it would otherwise overlook (option `strict`).
    case checking
    /// As `copying`, and the demuxer reports a missing or wrong index, with which a finished file must be written
    /// (option `index`).
    case verifying

    /// Name of the option that a demuxer gets if it has it; `nil` if none.
    fileprivate var option: String? {
      switch self {
      case .decoding, .copying, .comparing: nil
      case .checking: "strict"
      case .verifying: "index"
      }
    }

    /// Times of packets that differ from those that FFmpeg reports.
    fileprivate var timing: PacketTiming {
      switch self {
      case .decoding, .checking: [.exactEnd, .shownStart]
      case .copying, .verifying: [.exactEnd, .shownStart, .shownTimes]
      case .comparing: []
      }
    }
  }

  /// Opens the file with the demuxer that suits it best.
  ///
  /// The magics and extensions that plugins declare decide which of them are probed, so that only plugins
  /// that may be used are opened. Fallback demuxers are probed if none of these is sure, and tried if the
  /// chosen one fails.
  ///
  /// `purpose` is the use of the packets.
  package func openDemuxer(_ source: FileSource, for purpose: DemuxingPurpose = .decoding)
    throws(MediaError) -> DemuxerInstance
  {
    guard source.size > 0 else {
      throw MediaError(.malformed, "the file is empty", file: source.path)
    }
    let buffer = MediaBuffer(count: Int(min(source.size, Int64(Self.probeSize))))
    defer { withExtendedLifetime(buffer) {} }
    _ = try source.read(at: 0, into: buffer.bytes)
    var unsure: [Candidate] = []
    var asked: Set<PluginFactory> = []
    var failure: MediaError?
    // A plugin that cannot be opened may be the one that reads the file.
    var disorder: MediaError?
    func candidate(_ factory: PluginFactory) -> Candidate? {
      do throws(MediaError) { return try ask(factory, buffer.readOnly, source.name) } catch {
        PluginHost.log(.warning, error.description)
        if disorder == nil { disorder = error.inFile(source.path) }
        return nil
      }
    }
    func open(_ candidate: Candidate) throws(MediaError) -> DemuxerInstance? {
      let before = failure.map { "; the first choice failed: \($0.message)" } ?? ""
      do throws(MediaError) {
        let demuxer = try DemuxerInstance(
          candidate.factory, source,
          settings: DemuxerSettings(
            timing: purpose.timing,
            options: purpose.option.map { candidate.factory.description.enabling($0) } ?? []),
          reason: candidate.reason + before)
        demuxer.rejection = failure
        return demuxer
      } catch {
        guard error.code == .malformed || error.code == .unsupported else { throw error }
        if failure == nil { failure = error }
        return nil
      }
    }

    for factory in declared(buffer.readOnly, source.name) {
      guard let candidate = candidate(factory) else { continue }
      asked.insert(factory)
      guard candidate.score >= 50 else {
        unsure.append(candidate)
        continue
      }
      if let demuxer = try open(candidate) { return demuxer }
      break
    }
    let fallbacks = factories(.demuxer).filter {
      $0.description.tier == .fallback && !asked.contains($0)
    }
    let ranked = fallbacks.compactMap { candidate($0) }
      .sorted { $0.score > $1.score }
    // These demuxers scored below 50, but the file's magic or extension matches: they come before fallbacks
    // that are not sure either.
    let last = failure == nil ? unsure : []
    for candidate in ranked.filter({ $0.score >= 50 }) + last + ranked.filter({ $0.score < 50 }) {
      if let demuxer = try open(candidate) { return demuxer }
    }
    if factories(.demuxer).isEmpty { throw noPlugins(source.path) }
    throw disorder ?? failure
      ?? explaining(
        MediaError(
          .unsupported, "no plugin recognizes the format of the file", file: source.path,
          detail: .fileFormatNotRecognized))
  }

  /// Returns the error for a file that cannot be read because there are no plugins.
  private func noPlugins(_ path: String) -> MediaError {
    let failed = plugins.lazy.compactMap { plugin in
      plugin.reason.map { "\(plugin.path): \($0); \(plugin.advice ?? "")" }
    }
    let folders = searchPath.folders.map(\.path).joined(separator: ", ")
    return MediaError(
      failed.isEmpty ? .unsupported : .pluginFailure,
      failed.first.map { "no plugin that reads files can be used; \($0)" }
        ?? "there are no plugins that read files in \(folders); install Respool, or name a folder "
        + "of plugins in RESPOOL_PLUGIN_PATH", file: path)
  }

  /// Returns demuxers above the fallback tier whose magic (75) or extension (25) matches, best first.
  private func declared(_ head: UnsafeRawBufferPointer, _ name: String) -> [PluginFactory] {
    let suffix = fileExtension(name)
    var scored: [(factory: PluginFactory, score: Int)] = []
    for factory in factories(.demuxer) where factory.description.tier != .fallback {
      if factory.description.magics.contains(where: { $0.matches(head) }) {
        scored.append((factory, 75))
      } else if !suffix.isEmpty, factory.description.extensions.contains(suffix) {
        scored.append((factory, 25))
      }
    }
    // Stable: equal scores keep the order of tier and name.
    return scored.filter { $0.score == 75 }.map(\.factory)
      + scored.filter { $0.score == 25 }.map(\.factory)
  }

  /// Probes the file with the demuxer; `nil` if it cannot read the file.
  ///
  /// Throws `pluginFailure` if its plugin cannot be opened.
  private func ask(_ factory: PluginFactory, _ head: UnsafeRawBufferPointer, _ name: String)
    throws(MediaError) -> Candidate?
  {
    let pointer = try factory.opened()
    guard let base = head.baseAddress else { return nil }
    let functions = RespoolHost.factory(pointer, as: rsp_demuxer_factory.self)
    let score = Int(
      functions.pointee.probe(
        pointer, base.assumingMemoryBound(to: UInt8.self), head.count, name))
    guard score > 0 else { return nil }
    let tier = factory.description.tier == .fallback ? ", the fallback," : ""
    return Candidate(
      factory: factory, score: score,
      reason: "\(factory.label)\(tier) is \(score) % sure that it can read the file")
  }

  /// Opens the best decoder that accepts the track; if that fails, the next one.
  ///
  /// Throws the first error, or `unsupported` if no plugin decodes the codec.
  ///
  /// If `isStrict` is `true`, a decoder that has the option `strict` gets it.
  package func openDecoder(
    _ track: TrackDescription, threads: Int, isStrict: Bool = false
  ) throws(MediaError) -> DecoderInstance {
    var failure: MediaError?
    for factory in decoders(for: track) {
      do throws(MediaError) {
        guard try DecoderInstance.supports(factory, track) else { continue }
        let settings = DecoderSettings(
          track: track, threads: threads,
          options: isStrict ? factory.description.enabling("strict") : [])
        let before = failure.map { "; the first choice failed: \($0.message)" } ?? ""
        return try DecoderInstance(
          factory, settings,
          reason: "\(factory.label) (\(factory.description.tier)) decodes \(track.codec)" + before)
      } catch {
        if failure == nil { failure = error }
      }
    }
    throw failure
      ?? MediaError(
        .unsupported, "no plugin decodes \(track.codecLabel)",
        detail: track.isProtected ? .contentIsProtected : .decoderNotFound)
  }

  /// Opens an encoder.
  package func openEncoder(
    _ factory: PluginFactory, _ settings: EncoderSettings
  ) throws(MediaError) -> EncoderInstance {
    try EncoderInstance(
      factory, settings,
      reason: "\(factory.label) (\(factory.description.tier)) encodes \(settings.track.codec)")
  }

  /// Opens a filter.
  package func openFilter(
    _ factory: PluginFactory, _ settings: FilterSettings
  ) throws(MediaError) -> FilterInstance {
    try FilterInstance(factory, settings)
  }

  /// Opens a muxer for the tracks of `media`.
  ///
  /// It writes to `sink`, which the caller finishes.
  package func openMuxer(
    _ factory: PluginFactory, media: MediaDescription, sink: FileSink,
    settings: MuxerSettings = .init()
  ) throws(MediaError) -> MuxerInstance {
    try MuxerInstance(factory, media: media, sink: sink, settings: settings)
  }

  /// Throws `unsupported` with the reason if the container cannot carry the track.
  package func checkMuxer(_ factory: PluginFactory, track: TrackDescription) throws(MediaError) {
    let head = try factory.opened()
    if let supports = RespoolHost.factory(head, as: rsp_muxer_factory.self).pointee.supports {
      let arena = factory.arena()
      var record = LentStruct<rsp_error>()
      let lent = arena.box(track.cValue(in: arena))
      let status = try factory.call(&record) { supports(head, lent, $0) }
      guard status == RSP_OK else { throw factory.error(status, record.value) }
    } else if !factory.description.codecs.contains(track.codec) {
      let codecs = factory.description.codecs.joined(separator: ", ")
      throw MediaError(
        .unsupported, "\(factory.description.name) cannot carry \(track.codec); it takes \(codecs)")
    }
  }
}

extension FactoryDescription {
  /// Returns the setting that turns an option on; empty if there is none of this name.
  fileprivate func enabling(_ option: String) -> [PluginOption] {
    options.contains { $0.name == option && $0.type == .bool } ? [PluginOption(option, "true")] : []
  }
}

extension FactoryDescription.Magic {
  /// Returns `true` if a file that starts with `head` has these bytes.
  package func matches(_ head: UnsafeRawBufferPointer) -> Bool {
    guard !bytes.isEmpty, offset >= 0, offset <= head.count, bytes.count <= head.count - offset
    else { return false }
    for index in bytes.indices {
      let bits = mask?[index] ?? 0xFF
      if head[offset + index] & bits != bytes[index] & bits { return false }
    }
    return true
  }
}

/// Returns the text after the last dot of a file name, in lower case; empty if there is none.
package func fileExtension(_ name: String) -> String {
  guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
  return name[name.index(after: dot)...].lowercased()
}
