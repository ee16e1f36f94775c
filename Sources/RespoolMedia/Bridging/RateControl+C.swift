package import CRespool

extension RateControl {
  /// Copies the C form; `nil` for a media type that encoders do not have.
  package init?(_ value: borrowing rsp_encoding) {
    guard let kind = TrackDescription.Kind(rawValue: value.kind), kind == .video || kind == .audio
    else { return nil }
    self.init(kind)
    let (low, high) = (value.quality_minimum, value.quality_maximum)
    if [RSP_QUALITY_LOWER_IS_BETTER, RSP_QUALITY_HIGHER_IS_BETTER].contains(
      Int(value.quality_direction)), low >= 0, low <= high, high.isFinite
    {
      quality = QualityScale(
        low...high, step: value.quality_step > 0 ? value.quality_step : 0,
        isLowerBetter: Int(value.quality_direction) == RSP_QUALITY_LOWER_IS_BETTER,
        usual: (low...high).contains(value.quality_default) ? value.quality_default : nil)
    }
    let (least, most) = (value.minimum_bit_rate, value.maximum_bit_rate)
    if least > 0 || most > 0 {
      let lowest = max(1, least)
      bitRates = lowest...(most > 0 ? max(lowest, most) : .max)
    }
  }

  /// The C form without functions.
  package var cValue: rsp_encoding {
    var value = rsp_encoding()
    value.struct_size = structSize(rsp_encoding.self)
    value.kind = kind.rawValue
    value.quality_direction = UInt32(RSP_QUALITY_NONE)
    if let quality {
      value.quality_direction = UInt32(
        quality.isLowerBetter ? RSP_QUALITY_LOWER_IS_BETTER : RSP_QUALITY_HIGHER_IS_BETTER)
      (value.quality_minimum, value.quality_maximum) =
        (quality.range.lowerBound, quality.range.upperBound)
      (value.quality_step, value.quality_default) = (quality.step, quality.usual ?? -1)
    }
    if let bitRates {
      value.minimum_bit_rate = bitRates.lowerBound
      value.maximum_bit_rate = bitRates.upperBound == .max ? 0 : bitRates.upperBound
    }
    return value
  }
}
