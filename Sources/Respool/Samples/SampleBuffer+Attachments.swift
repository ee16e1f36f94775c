import RespoolMedia

extension SampleBuffer {
  /// What is said about a sample besides its time and its format.
  public struct Attachments: Hashable, Sendable {
    /// Decoding can start here; always so for decoded media.
    public var isSync = true
    /// Needed to decode others and not shown itself.
    public var doNotDisplay = false
    /// Whether it cannot be decoded alone; nil where that is not known.
    public var dependsOnOthers: Bool?
    /// Sound: what is decoded and not heard, in front.
    public var trimDurationAtStart = MediaTime.zero
    /// Sound: what is decoded and not heard, at the end.
    public var trimDurationAtEnd = MediaTime.zero
    /// Anything else; goes along with the sample and into no file.
    public var custom: [String: String] = [:]
    /// Where the bytes of a sample without data lie; its size tells how many.
    public var sampleReference: SampleReference?

    public init() {}
  }

  /// What is said about the sample, the first of several; a writer goes by what is set here.
  public var attachments: Attachments {
    get {
      if let first = parts.first { return first.attachments }
      return state.withLock { state in
        var attachments = Attachments()
        attachments.custom = state.custom
        attachments.sampleReference = state.reference
        attachments.trimDurationAtStart = state.trimAtStart
        attachments.trimDurationAtEnd = state.trimAtEnd
        guard case .packet(let packet) = state.content else { return attachments }
        attachments.isSync = packet.flags.contains(.key)
        attachments.doNotDisplay = packet.flags.contains(.discard)
        attachments.dependsOnOthers = state.dependsOnOthers ?? !attachments.isSync
        attachments.trimDurationAtStart = MediaTime(packet.trimStart, timeBase)
        attachments.trimDurationAtEnd = MediaTime(packet.trimEnd, timeBase)
        return attachments
      }
    }
    set {
      if let first = parts.first {
        first.attachments = newValue
        return
      }
      state.withLock { state in
        guard state.isValid else { return }
        state.custom = newValue.custom
        state.reference = newValue.sampleReference
        state.dependsOnOthers = newValue.dependsOnOthers
        state.trimAtStart = newValue.trimDurationAtStart
        state.trimAtEnd = newValue.trimDurationAtEnd
        guard case .packet(var packet) = state.content else { return }
        packet.flags.set(.key, newValue.isSync)
        packet.flags.set(.discard, newValue.doNotDisplay)
        packet.trimStart = ticks(newValue.trimDurationAtStart)
        packet.trimEnd = ticks(newValue.trimDurationAtEnd)
        state.content = .packet(packet)
      }
    }
  }

  /// A length in units of the content's times; 0 for what is no length.
  private func ticks(_ time: MediaTime) -> Int64 { max(0, time.ticks(timeBase) ?? 0) }

  /// What a writer takes: decoded sound without what is trimmed.
  ///
  /// Nil where nothing is left of it.
  var trimmedContent: Content? {
    let state = state.withLock { $0 }
    guard case .frame(let frame) = state.content, frame.kind == .audio, frame.sampleRate > 0,
      state.trimAtStart > .zero || state.trimAtEnd > .zero
    else { return state.current }
    let unit = Rational(1, Int32(clamping: frame.sampleRate))
    func samples(_ time: MediaTime) -> Int {
      Int(max(0, min(time.ticks(unit) ?? 0, Int64(frame.sampleCount))))
    }
    let (front, back) = (samples(state.trimAtStart), samples(state.trimAtEnd))
    return frame.droppingSamples(front: front, back: back, timeBase: timeBase).map(Content.frame)
  }
}

extension Packet.Flags {
  mutating func set(_ flag: Packet.Flags, _ isSet: Bool) {
    if isSet { insert(flag) } else { remove(flag) }
  }
}
