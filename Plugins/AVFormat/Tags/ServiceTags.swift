import RespoolPlugin

/// Tags of a service of DVB, which MPEG transport streams have (EN 300 468 6.2.33).
enum ServiceTags {
  /// Provider of files that this plugin writes without one.
  static let ownProvider = "Respool"
  private static let names: Set<String> = ["service_name", "service_provider"]
  /// Providers that are written if none is stated.
  ///
  /// The name of the service is then the title, or `Service01` and so on.
  private static let placeholders: Set<String> = [ownProvider, "FFmpeg"]

  /// Returns the tags of a program, without what writers put where there is nothing.
  static func tags(of program: [MetadataEntry]) -> [MetadataEntry] {
    let tags = program.filter { names.contains($0.name) }
    guard let provider = tags.first(where: { $0.name == "service_provider" })?.value,
      placeholders.contains(provider)
    else { return tags }
    return tags.filter { $0.name == "service_name" && !isPlaceholder($0.value) }
      .map { MetadataEntry("title", $0.value) }
  }

  /// Returns `true` if a descriptor has room for a name beside that of the provider: 255 bytes, of which its type, both
  /// lengths and the marks of UTF-8 take 5 (EN 300 468 6.2.33, annex A.2).
  ///
  /// Without a provider, leaves room for the name that libavformat gives to a service.
  static func fits(_ name: String, beside provider: String = "Service01") -> Bool {
    name.utf8.count + provider.utf8.count <= 255 - 5
  }

  private static func isPlaceholder(_ name: String) -> Bool {
    name.hasPrefix("Service") && name.count == 9 && name.suffix(2).allSatisfy(\.isNumber)
  }
}
