package import RespoolMedia

extension PresetLibrary {
  /// Returns a short text that is equal for presets of the same content, wherever they are stored.
  ///
  /// Throws an error if there is no such preset or it is not valid.
  package func identity(of nameOrPath: String) throws(MediaError) -> String {
    // Keys that select a preset and describe its outputs do not change them.
    let others = ["#", "defaultFor:", "relativeSize:", "relativeSpeed:"]
    let lines = try text(of: nameOrPath).split(separator: "\n").filter { line in
      !others.contains { line.hasPrefix($0) }
    }
    return MD5.hex(lines.joined(separator: "\n").utf8)
  }
}
