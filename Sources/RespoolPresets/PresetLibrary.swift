public import RespoolMedia

/// Where presets are looked for, and the presets that are there.
///
/// A name is looked up in the user's folder first and then among the installed ones; a path is read as
/// it is. A preset that is not found is an error and never another preset.
public struct PresetLibrary: Sendable {
  public enum Origin: String, Hashable, Sendable {
    /// The user's own.
    case user
    /// In the folder that `RESPOOL_PRESETS` names, such as a team's.
    case shared
    /// They come with the program.
    case installed
  }

  public struct Folder: Hashable, Sendable {
    public var path: String
    public var origin: Origin

    public init(path: String, origin: Origin) {
      self.path = path
      self.origin = origin
    }
  }

  /// A preset as a list shows it.
  public struct Entry: Hashable, Sendable {
    public var name: String
    public var summary: String
    public var path: String
    public var origin: Origin
    /// The preset of the same name that goes first, by path; nil: this one is used.
    public var shadowedBy: String?
  }

  /// In order of search.
  public let folders: [Folder]

  public init(folders: [Folder]) { self.folders = folders }

  /// Every preset, in order of name; of two with the same name the one that is used comes first.
  public func entries() -> [Entry] {
    var used: [String: String] = [:]
    var entries: [Entry] = []
    for folder in folders {
      for file in PresetFile.names(in: folder.path) {
        let path = "\(folder.path)/\(file)"
        var (name, summary) = (PresetFile.stem(of: file), "")
        do throws(MediaError) {
          let index = PresetIndex(text: try PresetFile.read(path), file: path)
          (name, summary) = (index.name ?? name, index.summary ?? "")
        } catch {
          summary = "cannot be read: \(error.message)"
        }
        entries.append(
          Entry(
            name: name, summary: summary, path: path, origin: folder.origin,
            shadowedBy: used[name]))
        if used[name] == nil { used[name] = path }
      }
    }
    return entries.enumerated().sorted {
      ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
    }.map(\.element)
  }

  /// Reads and checks a preset, with those that it extends.
  ///
  /// - Parameters:
  ///   - nameOrPath: a path where it has a slash or ends in `.yaml` or `.yml`, else a name.
  ///   - available: plugins to check it against; nil: what depends on plugins is left unchecked.
  /// - Throws: ``MediaError`` with every problem in its message, a line to each, or with the nearest
  ///   names where there is no such preset.
  public func preset(_ nameOrPath: String, available: AvailablePlugins? = nil)
    throws(MediaError) -> Preset
  {
    let check = try check(nameOrPath, available: available)
    guard let preset = check.preset else {
      throw MediaError(
        .invalidArgument,
        "preset \(nameOrPath) is not valid\n"
          + check.problems.map(\.description).joined(separator: "\n"))
    }
    return preset
  }

  /// Reads a preset and finds every problem in it and in those that it extends.
  ///
  /// - Throws: ``MediaError`` where there is no such preset or its file cannot be read.
  public func check(_ nameOrPath: String, available: AvailablePlugins? = nil)
    throws(MediaError) -> PresetCheck
  {
    var loader = PresetLoader(library: self)
    let path = try path(of: nameOrPath)
    guard let node = try loader.load(path) else {
      return PresetCheck(preset: nil, problems: loader.problems.sorted())
    }
    var reader = PresetReader(
      problems: loader.problems, available: available, path: path, ancestors: loader.ancestors,
      isWhole: loader.isWhole)
    let preset = reader.preset(from: node)
    return PresetCheck(
      preset: reader.problems.isEmpty ? preset : nil, problems: reader.problems.sorted())
  }

  /// Returns the first problem of a preset as a sentence; `nil` if the preset is valid, whatever plugins there are.
  public func firstProblem(ofFileAt path: String) -> String? {
    do throws(MediaError) {
      return try check(path).problems.first?.description
    } catch { return error.description }
  }

  /// The file of a preset.
  ///
  /// - Throws: ``MediaError`` with the nearest names where there is none.
  public func path(of nameOrPath: String) throws(MediaError) -> String {
    if Self.isPath(nameOrPath) { return nameOrPath }
    if let path = find(nameOrPath) { return path }
    let names = entries().filter { $0.shadowedBy == nil }.map(\.name)
    throw MediaError(
      .invalidArgument,
      "there is no preset \(nameOrPath); "
        + Spelling.advice(for: nameOrPath, among: names, kind: "a preset")
        + " (looked in \(folders.map(\.path).joined(separator: ", ")))")
  }

  static func isPath(_ text: String) -> Bool {
    text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml")
  }

  /// The file that the name stands for, or nil.
  ///
  /// A file's `name` key goes before the name of the file.
  package func find(_ name: String) -> String? {
    for folder in folders {
      for suffix in ["yaml", "yml"] {
        let path = "\(folder.path)/\(name).\(suffix)"
        guard let text = try? PresetFile.read(path) else { continue }
        if (PresetIndex(text: text, file: path).name ?? name) == name { return path }
      }
    }
    return entries().first { $0.name == name && $0.shadowedBy == nil }?.path
  }
}
