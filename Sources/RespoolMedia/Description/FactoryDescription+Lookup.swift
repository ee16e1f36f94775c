extension Sequence {
  /// Returns the factory with a name or else an alias; for a muxer or else a file extension, in any case.
  ///
  /// `description` is the description of an element. The first of several factories is returned.
  package func factory(
    named name: String, by description: (Element) -> FactoryDescription
  ) -> Element? {
    let kind = Array(self)
    return kind.first { description($0).name == name }
      ?? kind.first { description($0).aliases.contains(name) }
      ?? kind.first {
        description($0).kind == .muxer && description($0).extensions.contains(name.lowercased())
      }
  }
}
