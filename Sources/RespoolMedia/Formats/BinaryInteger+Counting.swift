extension BinaryInteger {
  /// Returns the number with a noun, and with the form of a verb that fits: `1 packet is`, `2 packets are`.
  ///
  /// A noun that ends with a consonant and `y` has the plural `ies`.
  package func counting(_ noun: String, _ one: String = "", _ many: String = "") -> String {
    let endsWithY =
      noun.hasSuffix("y") && noun.dropLast().last.map { !"aeiou".contains($0) } == true
    let plural = endsWithY ? noun.dropLast() + "ies" : noun + "s"
    let words = self == 1 ? [noun, one] : [plural, many]
    return (["\(self)"] + words.filter { !$0.isEmpty }).joined(separator: " ")
  }
}
