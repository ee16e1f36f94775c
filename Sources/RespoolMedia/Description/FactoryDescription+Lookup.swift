extension Sequence {
  /// Returns the factory with a name or else an alias; for a muxer or else a file extension, in any case.
  ///
  /// `Plugin/name` is the factory of one plugin. `description` is the description of an element, and `plugin` the name
  /// of its plugin. The first of several factories is returned.
  package func factory(
    named name: String, by description: (Element) -> FactoryDescription,
    plugin: (Element) -> String
  ) -> Element? {
    let kind = Array(self)
    if let slash = name.firstIndex(of: "/") {
      let (owner, rest) = (name[..<slash], String(name[name.index(after: slash)...]))
      let own = kind.filter { plugin($0) == owner }
      if let factory = own.factory(named: rest, by: description, plugin: plugin) { return factory }
    }
    return kind.first { description($0).name == name }
      ?? kind.first { description($0).aliases.contains(name) }
      ?? kind.first {
        description($0).kind == .muxer && description($0).extensions.contains(name.lowercased())
      }
  }
}

extension FactoryDescription.Flags {
  /// `true` if a muxer's container stores the time of each packet, unlike a stream, which has times at some places.
  package var storesTimes: Bool { contains(.variableFrameRate) && !contains(.presentsDelay) }
}
