import CVerifier
import RespoolHost
import RespoolMedia

/// An encoder's output for an input, and its decoded frames, made once for several checks.
final class EncoderTrial {
  let factory: PluginFactory
  let finder: CodecFinder
  let input: EncoderInput

  init(factory: PluginFactory, finder: CodecFinder, input: EncoderInput) {
    self.factory = factory
    self.finder = finder
    self.input = input
  }

  var codec: String { input.track.codec }
  var isVideo: Bool { input.track.kind == .video }

  /// The encoded frames.
  lazy var encoding: Result<Encoding, Finding> = encode(input)

  /// Frames of a decoder and its name; `nil` if no plugin decodes the codec.
  lazy var decoded: Result<(frames: [Frame], decoder: String)?, Finding> = {
    do throws(Finding) {
      let encoding = try encoding.get()
      try encoding.checkUnchanged()
      try encoding.packets.checkTrims()
      do throws(Finding) {
        return .success(try decode(encoding.packets, encoding.track))
      } catch {
        try checkConfiguration(encoding)
        return .failure(error)
      }
    } catch { return .failure(error) }
  }()

  /// Throws if the configuration record is wrong, which explains most failures of decoders.
  private func checkConfiguration(_ encoding: Encoding) throws(Finding) {
    try Finding.require { () throws(Finding) in
      try ConfigurationChecks.check(
        encoding.track, encoding.packets, sampleCount: encoding.sampleCount)
    }
  }

  /// A failure if a second run does not give the same bytes; other memory is at the same places.
  lazy var repeated: Result<Void, Finding> = {
    do throws(Finding) {
      let first = try encoding.get()
      try first.checkUnchanged()
      guard_fill_heap(HeapPattern.second)
      defer { guard_fill_heap(HeapPattern.first) }
      return .success(
        try first.compare(
          try encode(input).get(),
          "two runs with the same input: they depend on time, an address or memory that was not written to"
        ))
    } catch { return .failure(error) }
  }()

  func encode(_ input: EncoderInput) -> Result<Encoding, Finding> {
    do throws(Finding) { return .success(try Encoding(factory, input)) } catch {
      return .failure(error)
    }
  }

  /// Decodes packets of the track with the first decoder that opens.
  func decode(_ packets: [Packet], _ track: TrackDescription) throws(Finding)
    -> (frames: [Frame], decoder: String)?
  {
    var refusal: Finding?
    for decoder in finder.decoders(track) {
      do throws(Finding) {
        let decoding = try Decoding(decoder, track, packets)
        try decoding.checkUnchanged()
        return (decoding.frames, decoder.description.name)
      } catch {
        if refusal == nil {
          refusal = Finding(
            "\(decoder.description.name) does not decode the packets: \(error.words)",
            cause: error.cause)
        }
      }
    }
    if let refusal { throw refusal }
    return nil
  }

  /// Throws if decoded frames have another content than was sent.
  ///
  /// Frames that cannot be compared are no failure.
  func requireContent() throws(Finding) { try Finding.require(content) }

  /// The reason why packets are not decoded and compared.
  var withoutDecoder: Finding {
    .skipped("encoded, but not compared: no plugin decodes \(codec)")
  }

  /// Checks the content of decoded frames.
  func content() throws(Finding) -> String {
    guard let (frames, decoder) = try decoded.get() else { throw withoutDecoder }
    let encoding = try encoding.get()
    do throws(Finding) {
      let found =
        isVideo
        ? try VideoComparison(encoding).check(frames) : try AudioComparison(encoding).check(frames)
      return "\(found), decoded by \(decoder)"
    } catch {
      try checkConfiguration(encoding)
      throw error
    }
  }
}
