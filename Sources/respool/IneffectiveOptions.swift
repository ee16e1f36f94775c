import ArgumentParser

/// Check for options that another option leaves without effect.
enum IneffectiveOptions {
  /// Throws a usage error that names the given options, if there are any.
  ///
  /// - Parameters:
  ///   - options: names, each with `true` if the option was given.
  ///   - reason: the end of the sentence, such as "with --json".
  static func refuse(_ options: KeyValuePairs<String, Bool>, _ reason: String) throws {
    let names = options.filter(\.value).map(\.key)
    guard let last = names.last else { return }
    let list =
      names.count == 1
      ? "\(last) has" : "\(names.dropLast().joined(separator: ", ")) and \(last) have"
    throw ValidationError("\(list) no effect \(reason)")
  }
}
