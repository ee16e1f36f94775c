package import RespoolMedia

/// Factories by kind, best first, with an index of their names.
package struct RankedFactories: Sendable {
  private let members: [FactoryDescription.Kind: [DescribedFactory]]
  /// Positions in `members` by name or alias.
  private let names: [FactoryDescription.Kind: [String: Int]]
  /// Positions of muxers by file extension.
  private let extensions: [String: Int]

  /// Sorts factories: by tier, then by name.
  package init(_ factories: [DescribedFactory]) {
    self.init(
      sorted: Dictionary(grouping: factories, by: \.description.kind).mapValues {
        $0.sorted {
          ($0.description.tier, $0.description.name) < ($1.description.tier, $1.description.name)
        }
      })
  }

  /// Takes the factories of each kind, best first.
  init(sorted members: [FactoryDescription.Kind: [DescribedFactory]]) {
    self.members = members
    names = members.mapValues { kind in
      Self.positions(in: kind) { [$0.name] }
        .merging(Self.positions(in: kind, of: \.aliases)) { name, _ in name }
    }
    extensions = Self.positions(in: members[.muxer] ?? [], of: \.extensions)
  }

  /// Returns the first position of each text that descriptions have.
  private static func positions(
    in kind: [DescribedFactory], of texts: (FactoryDescription) -> [String]
  ) -> [String: Int] {
    var positions: [String: Int] = [:]
    for (position, factory) in kind.enumerated() {
      for text in texts(factory.description) where positions[text] == nil {
        positions[text] = position
      }
    }
    return positions
  }

  /// The factories of a kind, best first.
  package subscript(kind: FactoryDescription.Kind) -> [DescribedFactory] { members[kind] ?? [] }

  /// Returns the factory with a name, as `Sequence.factory(named:by:plugin:)` finds it.
  package func factory(_ kind: FactoryDescription.Kind, named name: String) -> DescribedFactory? {
    guard let all = members[kind] else { return nil }
    if name.utf8.contains(UInt8(ascii: "/")) {
      return all.factory(named: name, by: \.description, plugin: \.plugin)
    }
    let position =
      names[kind]?[name] ?? (kind == .muxer ? extensions[name.lowercased()] : nil)
    return position.map { all[$0] }
  }
}
