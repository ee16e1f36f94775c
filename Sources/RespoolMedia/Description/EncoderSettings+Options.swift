extension EncoderSettings {
  /// Checks every option against its schema.
  ///
  /// Throws `invalidArgument` with `library` in the message if an option is unknown.
  package func checkOptions(_ schemas: [OptionSchema], of library: String) throws(MediaError) {
    for entry in options {
      guard let schema = schemas.first(where: { $0.name == entry.name }) else {
        throw MediaError(.invalidArgument, "\(library) has no option \(entry.name)")
      }
      if let problem = schema.problem(with: entry.value) {
        throw MediaError(.invalidArgument, problem)
      }
    }
  }
}
