extension BinaryInteger {
  /// Returns the number with a noun, and with the form of a verb that fits: `1 packet is`, `2 packets are`.
  package func counting(_ noun: String, _ one: String = "", _ many: String = "") -> String {
    let words = self == 1 ? [noun, one] : [noun + "s", many]
    return (["\(self)"] + words.filter { !$0.isEmpty }).joined(separator: " ")
  }
}
