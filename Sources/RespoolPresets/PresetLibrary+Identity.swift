package import RespoolMedia

extension PresetLibrary {
  /// Returns a short text that is equal for presets of the same content, wherever they are stored.
  ///
  /// Throws an error if there is no such preset or it is not valid.
  package func identity(of nameOrPath: String) throws(MediaError) -> String {
    // The key that selects a preset does not change its outputs.
    let lines = try text(of: nameOrPath).split(separator: "\n").filter {
      !$0.hasPrefix("#") && !$0.hasPrefix("defaultFor:")
    }
    return MD5.hex(lines.joined(separator: "\n").utf8)
  }
}
