/// Media type, quality scale and bit rates of an encoder.
public struct RateControl: Hashable, Sendable {
  /// A scale of numbers that state how much an encoder may lose.
  public struct QualityScale: Hashable, Sendable {
    /// All qualities, both bounds inclusive, none negative.
    public var range: ClosedRange<Double>
    /// Distance between two qualities; 0: any number is one.
    public var step: Double
    /// `true` if a lower number loses less, as CRF.
    public var isLowerBetter: Bool
    /// Quality if neither a quality nor a bit rate is requested.
    ///
    /// `nil`: the encoder then uses a bit rate, or loses nothing.
    public var usual: Double?

    public init(
      _ range: ClosedRange<Double>, step: Double = 0, isLowerBetter: Bool, usual: Double? = nil
    ) {
      (self.range, self.step, self.isLowerBetter, self.usual) = (range, step, isLowerBetter, usual)
    }
  }

  /// Media type of everything that the encoder takes, ``TrackDescription/Kind/video`` or
  /// ``TrackDescription/Kind/audio``.
  public var kind: TrackDescription.Kind
  /// Quality scale.
  ///
  /// `nil`: the encoder has none.
  public var quality: QualityScale?
  /// Bit rates of a track in bits per second, both bounds inclusive.
  ///
  /// `nil`: no bounds stated.
  public var bitRates: ClosedRange<Int64>?

  public init(
    _ kind: TrackDescription.Kind, quality: QualityScale? = nil,
    bitRates: ClosedRange<Int64>? = nil
  ) {
    (self.kind, self.quality, self.bitRates) = (kind, quality, bitRates)
  }
}

extension FactoryDescription {
  /// Returns a message that states why an encoder cannot have a quality or a bit rate, and which it can have.
  ///
  /// `nil` if it can have both. `nil` for an argument: not requested.
  public func problem(quality: Double?, bitRate: Int64?) -> String? {
    guard let rateControl else { return nil }
    if let quality {
      guard let scale = rateControl.quality else {
        return "quality is \(quality.decimalText); \(name) has no quality scale"
      }
      if let range = scale.range.contains(quality) ? nil : scale.range {
        return "quality is \(quality.decimalText); \(name) takes from "
          + "\(range.lowerBound.decimalText) to \(range.upperBound.decimalText)"
      }
      if scale.step > 0, !scale.hasStep(at: quality) {
        return "quality is \(quality.decimalText); \(name) takes multiples of "
          + scale.step.decimalText
      }
    }
    guard let bitRate, let range = rateControl.bitRates, !range.contains(bitRate) else {
      return nil
    }
    let bounds =
      bitRate < range.lowerBound ? "at least \(range.lowerBound)" : "at most \(range.upperBound)"
    return "the bit rate is \(bitRate); \(name) takes \(bounds) bits per second"
  }
}

extension RateControl.QualityScale {
  fileprivate func hasStep(at value: Double) -> Bool {
    ((value / step).rounded() * step - value).magnitude < step / 1000
  }
}
