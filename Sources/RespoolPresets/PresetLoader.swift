import RespoolMedia

/// Reader of a preset file and those that it extends, which merges them.
struct PresetLoader {
  let library: PresetLibrary
  var problems: [PresetProblem] = []
  /// Names of the extended presets, nearest first.
  var ancestors: [String] = []
  /// `false` if an extended preset could not be read, so that keys may be missing from the tree.
  private(set) var isWhole = true

  init(library: PresetLibrary) { self.library = library }

  /// Returns the merged tree of the file at `path`; `nil` if it cannot be parsed.
  mutating func load(_ path: String) throws(MediaError) -> PresetNode? {
    load(try PresetFile.read(path), path: path)
  }

  /// Returns the merged tree of a text that is or will be the file at `path`; `nil` if it cannot be parsed.
  mutating func load(_ text: String, path: String) -> PresetNode? {
    var chain: [PresetNode] = []
    var seen: Set = [Self.identity(path)]
    var names = [PresetFile.stem(of: path)]
    guard var node = parse(text, file: path) else { return nil }
    chain.append(node)
    while let entry = node["extends"] {
      guard let name = entry.value.text, !name.isEmpty else { break }
      guard let parent = find(name, from: entry) else { break }
      let identity = Self.identity(parent)
      if seen.contains(identity) {
        report(
          entry, "extends loops: \((names + [name]).joined(separator: " → "))",
          "a preset must not extend itself, nor one that extends it")
        break
      }
      seen.insert(identity)
      names.append(name)
      let text: String
      do { text = try PresetFile.read(parent) } catch {
        report(entry, "\(name) cannot be read: \(error)", "check the file's permissions")
        break
      }
      guard let next = parse(text, file: parent) else { break }
      ancestors.append(name)
      chain.append(next)
      node = next
    }
    isWhole = node["extends"] == nil
    var merged: PresetNode?
    for node in chain.reversed() {
      // An extended preset does not pass on what names it or selects it.
      merged =
        merged.map { $0.without(PresetKey.ownKeys).overlaid(by: node) }
        ?? node
    }
    return merged
  }

  private mutating func parse(_ text: String, file: String) -> PresetNode? {
    let parsing = PresetNode.parse(text, file: file)
    problems += parsing.problems
    guard let node = parsing.node else { return nil }
    guard case .mapping = node.content else {
      problems.append(
        PresetProblem(
          file: file, line: node.place.line, column: node.place.column,
          message: "the preset is \(node.kindText)",
          advice: "a preset is a mapping: container: mp4 and so on"))
      return nil
    }
    return node
  }

  private mutating func find(_ name: String, from entry: PresetNode.Entry) -> String? {
    let here = entry.value.place.file
    if PresetLibrary.isPath(name) {
      // A path is relative to the folder of the preset that names it.
      let folder = here.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      let path =
        name.hasPrefix("/") || folder.isEmpty ? name : (folder + [name[...]]).joined(separator: "/")
      if PresetFile.exists(path) { return path }
      report(entry, "extends names \(name), which does not exist", "give the path of a preset file")
      return nil
    }
    // A user's preset may extend the installed one of the same name.
    var others = library
    if PresetFile.stem(of: here) == name {
      let own = Self.identity(here)
      let folders = library.folders.filter { folder in
        PresetLibrary(folders: [folder]).entries().allSatisfy { Self.identity($0.path) != own }
      }
      others = PresetLibrary(folders: folders)
    }
    if let path = others.find(name) ?? library.find(name) { return path }
    // A file named by its path may extend presets in its own folder.
    let folder = here.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let beside = (folder + ["\(name).yaml"]).joined(separator: "/")
    if PresetFile.exists(beside) { return beside }
    let names = library.entries().map(\.name)
    report(
      entry, "extends names \(name), which does not exist",
      Spelling.advice(for: name, among: names, kind: "a preset"))
    return nil
  }

  private mutating func report(_ entry: PresetNode.Entry, _ message: String, _ advice: String) {
    let place = entry.value.place
    problems.append(
      PresetProblem(
        file: place.file, line: place.line, column: place.column, message: message,
        advice: advice))
  }

  /// Returns a key that is equal for two paths of one file.
  private static func identity(_ path: String) -> PathKey { PathKey(PresetFile.canonical(path)) }
}

extension PresetNode {
  /// Returns a mapping without some of its keys.
  func without(_ keys: Set<String>) -> PresetNode {
    guard case .mapping(let entries) = content else { return self }
    return PresetNode(content: .mapping(entries.filter { !keys.contains($0.key) }), place: place)
  }
}
