import RespoolMedia

extension SampleBuffer {
  /// Properties of a sample besides its times and its format.
  public struct Attachments: Hashable, Sendable {
    /// `true` for a sync sample, and always for decoded media.
    public var isSync = true
    /// `true` if the sample is only needed to decode others and is not shown.
    public var doNotDisplay = false
    /// `true` if the sample cannot be decoded alone.
    ///
    /// `nil` if unknown.
    public var dependsOnOthers: Bool?
    /// Duration of decoded audio to discard at the start.
    public var trimDurationAtStart = MediaTime.zero
    /// Duration of decoded audio to discard at the end.
    public var trimDurationAtEnd = MediaTime.zero
    /// Further values; they stay with the sample and are not written to files.
    public var custom: [String: String] = [:]
    /// Location of the bytes of a sample without data; their number is the sample's size.
    public var sampleReference: SampleReference?

    public init() {}
  }

  /// Attachments of the sample, or of the first of several samples; a writer uses them.
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

  /// Returns a duration in units of the content's time base; 0 if it is negative or not numeric.
  private func ticks(_ time: MediaTime) -> Int64 { max(0, time.ticks(timeBase) ?? 0) }

  /// Content for a writer: decoded audio without its trims.
  ///
  /// `nil` if the trims leave no audio.
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
