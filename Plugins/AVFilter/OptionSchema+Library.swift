import CAVFilter
import RespoolPlugin

extension OptionSchema {
  /// Returns the options that libavfilter states for a filter, but for the hidden ones.
  ///
  /// Names are those of FFmpeg. Names with capitals are left out; FFmpeg has another for most of them.
  static func options(ofFilter name: String, without hidden: Set<String>) -> [OptionSchema] {
    guard let filter = avfilter_get_by_name(name), var options = filter.pointee.priv_class else {
      return []
    }
    var all: [UnsafePointer<AVOption>] = []
    withUnsafePointer(to: &options) { object in
      var next = av_opt_next(object, nil)
      while let option = next {
        all.append(option)
        next = av_opt_next(object, option)
      }
    }
    let constants = all.filter { $0.pointee.type == AV_OPT_TYPE_CONST }
    var firstNames: [Int32: String] = [:]
    return all.compactMap { option -> OptionSchema? in
      let value = option.pointee
      let name = String(cString: value.name)
      guard value.type != AV_OPT_TYPE_CONST, name == name.lowercased(), !hidden.contains(name),
        value.flags & (AV_OPT_FLAG_DEPRECATED | AV_OPT_FLAG_READONLY) == 0
      else { return nil }
      var help = value.help.map { String(cString: $0) } ?? ""
      if let first = firstNames[value.offset] {
        help = "short for \(first)"
      } else {
        firstNames[value.offset] = name
      }
      let unit = value.unit.map { String(cString: $0) }
      let words = constants.filter { unit != nil && String(cString: $0.pointee.unit) == unit }
      return OptionSchema(name, value, words, help: help.isEmpty ? name : help)
    }
  }

  private init(
    _ name: String, _ option: AVOption, _ constants: [UnsafePointer<AVOption>], help: String
  ) {
    let bounds = option.min...max(option.min, option.max)
    let (type, value): (ValueType, String?) =
      switch option.type {
      case AV_OPT_TYPE_BOOL:
        (.bool, option.default_val.i64 < 0 ? nil : option.default_val.i64 == 0 ? "false" : "true")
      case AV_OPT_TYPE_INT, AV_OPT_TYPE_INT64, AV_OPT_TYPE_UINT64:
        Self.whole(option, constants, bounds)
      case AV_OPT_TYPE_FLOAT, AV_OPT_TYPE_DOUBLE:
        (.number(bounds), Self.text(option.default_val.dbl, within: bounds))
      case AV_OPT_TYPE_STRING, AV_OPT_TYPE_COLOR, AV_OPT_TYPE_IMAGE_SIZE, AV_OPT_TYPE_VIDEO_RATE:
        (.text, option.default_val.str.map { String(cString: $0) })
      default: (.text, nil)
      }
    self.init(name, type, default: value, help: help)
  }

  private static func whole(
    _ option: AVOption, _ constants: [UnsafePointer<AVOption>], _ bounds: ClosedRange<Double>
  ) -> (ValueType, String?) {
    let usual = option.default_val.i64
    guard constants.isEmpty else {
      var words: [String] = []
      for constant in constants {
        let word = String(cString: constant.pointee.name)
        if !words.contains(word) { words.append(word) }
      }
      let word = constants.first { $0.pointee.default_val.i64 == usual }
      return (.choice(words), word.map { String(cString: $0.pointee.name) })
    }
    // Bounds beyond 32 bits stand for no bounds.
    let (low, high) = (
      max(bounds.lowerBound, -2_147_483_648), min(bounds.upperBound, 2_147_483_647)
    )
    guard low <= high else { return (.text, nil) }
    return (.int(Int(low)...Int(high)), "\(usual)")
  }

  /// Returns a number in the fewest digits; `nil` for the largest one, which stands for no value.
  private static func text(_ value: Double, within bounds: ClosedRange<Double>) -> String? {
    guard value.isFinite, value.magnitude < Double(Float.greatestFiniteMagnitude) else {
      return nil
    }
    var text = "\(Float(value))"
    if Double(text).map({ !bounds.contains($0) }) ?? true { text = "\(value)" }
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
