public import RespoolMedia

/// A factory as its plugin describes it, and the name of the plugin.
public struct DescribedFactory: Hashable, Sendable {
  public var plugin: String
  public var description: FactoryDescription

  public init(plugin: String, description: FactoryDescription) {
    self.plugin = plugin
    self.description = description
  }

  /// Returns factories by kind, best first: by tier, then by name.
  package static func ranked(_ factories: [DescribedFactory])
    -> [FactoryDescription.Kind: [DescribedFactory]]
  {
    Dictionary(grouping: factories, by: \.description.kind).mapValues {
      $0.sorted {
        ($0.description.tier, $0.description.name) < ($1.description.tier, $1.description.name)
      }
    }
  }
}
