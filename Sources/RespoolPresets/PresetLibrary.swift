public import RespoolMedia

/// The folders in which presets are searched, and the presets in them.
///
/// A name is searched in the folders in order, and in each of them in the folders that it contains, which are groups of
/// presets; ``standard`` lists the usual ones. A path is read as it is. A preset that is not found is an error and never
/// replaced by another preset.
public struct PresetLibrary: Sendable {
  /// Kind of folder that a preset is in.
  public enum Origin: String, Hashable, Sendable {
    /// In the user's own folder.
    case user
    /// In the folder that `RESPOOL_PRESETS` names, such as a team's.
    case shared
    /// Installed with the program.
    case installed
    /// Brought along by a plugin: the folder `X.presets` beside the plugin's file `X.so`.
    case plugin
  }

  /// A folder in which presets are searched.
  public struct Folder: Hashable, Sendable {
    public var path: String
    public var origin: Origin

    public init(path: String, origin: Origin) {
      self.path = path
      self.origin = origin
    }
  }

  /// A preset in a list of presets.
  public struct Entry: Hashable, Sendable {
    public var name: String
    public var summary: String
    public var path: String
    public var origin: Origin
    /// Name of the folder in the library's folder that the preset is in; `nil` if it is in none.
    public var group: String?
    /// Extensions of output files for which this preset is used if none is named, in lower case.
    public var defaultFor: [String]
    /// Path of the preset of the same name that is used instead.
    ///
    /// `nil` if this one is used.
    public var shadowedBy: String?
  }

  /// Folders in search order.
  public let folders: [Folder]

  public init(folders: [Folder]) { self.folders = folders }

  /// Returns all presets, sorted by name.
  ///
  /// Of two with the same name, the one that is used comes first.
  public func entries() -> [Entry] {
    var used: [String: String] = [:]
    var entries: [Entry] = []
    for folder in folders {
      for (group, path) in Self.files(in: folder) {
        var (name, summary, defaultFor) = (PresetFile.stem(of: path), "", [String]())
        do throws(MediaError) {
          let index = PresetIndex(text: try PresetFile.read(path), file: path)
          (name, summary) = (index.name ?? name, index.summary ?? "")
          defaultFor = index.defaultFor
        } catch {
          summary = "cannot be read: \(error.message)"
        }
        entries.append(
          Entry(
            name: name, summary: summary, path: path, origin: folder.origin, group: group,
            defaultFor: defaultFor, shadowedBy: used[name]))
        if used[name] == nil { used[name] = path }
      }
    }
    return entries.enumerated().sorted {
      ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
    }.map(\.element)
  }

  /// Returns the preset files of a folder and of its groups: those without a group first, then by group and name.
  private static func files(in folder: Folder) -> [(group: String?, path: String)] {
    let listing = PresetFile.listing(folder.path)
    return listing.files.map { (nil, "\(folder.path)/\($0)") }
      + listing.folders.flatMap { group in
        PresetFile.names(in: "\(folder.path)/\(group)").map {
          (group, "\(folder.path)/\(group)/\($0)")
        }
      }
  }

  /// Returns the name of the preset for output files with an extension, if none is named.
  ///
  /// It is the first preset in the order of the folders, then of the files' names, whose `defaultFor` lists the
  /// extension, which is in lower case. `nil` if there is none.
  public func defaultPreset(forExtension suffix: String) -> String? {
    for folder in folders {
      let entries = PresetLibrary(folders: [folder]).entries()
      if let entry = entries.first(where: { $0.defaultFor.contains(suffix) }) { return entry.name }
    }
    return nil
  }

  /// Reads and checks a preset, with those that it extends.
  ///
  /// - Parameters:
  ///   - nameOrPath: a path if it has a slash or ends in `.yaml` or `.yml`, else a name.
  ///   - available: plugins against which to check it. `nil` leaves unchecked whatever depends on plugins.
  /// - Throws: ``MediaError`` with every problem in its message, one line each. If there is no such preset,
  ///   with the nearest names.
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
  /// - Throws: ``MediaError`` if there is no such preset or its file cannot be read.
  public func check(_ nameOrPath: String, available: AvailablePlugins? = nil)
    throws(MediaError) -> PresetCheck
  {
    let path = try path(of: nameOrPath)
    return check(text: try PresetFile.read(path), file: path, available: available)
  }

  /// Finds every problem in a text that is or will be the preset file at `path`.
  package func check(text: String, file path: String, available: AvailablePlugins? = nil)
    -> PresetCheck
  {
    var loader = PresetLoader(library: self)
    guard let node = loader.load(text, path: path) else {
      return PresetCheck(preset: nil, problems: loader.problems.sorted())
    }
    var reader = PresetReader(
      problems: loader.problems, available: available, path: path, ancestors: loader.ancestors,
      isWhole: loader.isWhole)
    let preset = reader.preset(from: node)
    return PresetCheck(
      preset: reader.problems.isEmpty ? preset : nil, problems: reader.problems.sorted())
  }

  /// Returns the first problem of a preset as a sentence; `nil` if the preset is valid.
  ///
  /// Does not check the preset against plugins.
  package func firstProblem(ofFileAt path: String) -> String? {
    do throws(MediaError) {
      return try check(path).problems.first?.description
    } catch { return error.description }
  }

  /// Returns the path of a preset's file.
  ///
  /// - Throws: ``MediaError`` with the nearest names if there is no such preset.
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

  /// Returns the path of the file that the name stands for; `nil` if not found.
  ///
  /// A file's `name` key takes precedence over its file name.
  package func find(_ name: String) -> String? {
    for folder in folders {
      let places =
        [folder.path] + PresetFile.listing(folder.path).folders.map { "\(folder.path)/\($0)" }
      for place in places {
        for suffix in ["yaml", "yml"] {
          let path = "\(place)/\(name).\(suffix)"
          guard let text = try? PresetFile.read(path) else { continue }
          if (PresetIndex(text: text, file: path).name ?? name) == name { return path }
        }
      }
      // A preset of the user's goes before an installed one also if its file has another name.
      let others = PresetLibrary(folders: [folder]).entries()
      if let entry = others.first(where: { $0.name == name }) { return entry.path }
    }
    return nil
  }
}
