public import RespoolMedia

/// A factory as its plugin describes it, and the name of the plugin.
public struct DescribedFactory: Hashable, Sendable {
  public var plugin: String
  public var description: FactoryDescription

  public init(plugin: String, description: FactoryDescription) {
    self.plugin = plugin
    self.description = description
  }
}
