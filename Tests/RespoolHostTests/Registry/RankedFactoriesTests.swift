import RespoolMedia
import Testing

@testable import RespoolHost

@Suite struct RankedFactoriesTests {
  private static func factory(
    _ plugin: String, _ kind: FactoryDescription.Kind, _ name: String,
    _ tier: FactoryDescription.Tier = .standard, aliases: [String] = [],
    extensions: [String] = []
  ) -> DescribedFactory {
    var description = FactoryDescription(kind: kind, name: name, longName: "")
    (description.tier, description.aliases) = (tier, aliases)
    description.extensions = extensions
    return DescribedFactory(plugin: plugin, description: description)
  }

  private let factories = RankedFactories([
    factory("Late", .muxer, "zip", .fallback, aliases: ["mp4"], extensions: ["mkv"]),
    factory("Movies", .muxer, "mp4", aliases: ["zip"], extensions: ["mp4", "m4v"]),
    factory("Films", .muxer, "matroska", aliases: ["mkv"], extensions: ["webm", "m4v"]),
    factory("Others", .muxer, "matroska", .fallback),
    factory("Codecs", .encoder, "opus", aliases: ["libopus"], extensions: ["opus2"]),
  ])

  @Test(
    arguments: [
      ("mp4", "Movies"), ("zip", "Late"), ("mkv", "Films"), ("matroska", "Films"),
      ("webm", "Films"), ("WebM", "Films"), ("m4v", "Films"), ("Others/matroska", "Others"),
      ("Movies/M4V", "Movies"), ("Nothing/mp4", nil), ("MP4", "Movies"), ("Matroska", nil),
      ("libopus", nil), ("", nil),
    ] as [(String, String?)])
  func `a muxer is found by name, then alias, then extension`(name: String, plugin: String?) {
    #expect(factories.factory(.muxer, named: name)?.plugin == plugin)
    let searched = factories[.muxer].factory(named: name, by: \.description, plugin: \.plugin)
    #expect(searched?.plugin == plugin)
  }

  @Test func `an encoder is not found by an extension`() {
    #expect(factories.factory(.encoder, named: "libopus")?.plugin == "Codecs")
    #expect(factories.factory(.encoder, named: "opus2") == nil)
    #expect(factories.factory(.decoder, named: "opus") == nil)
  }
}
