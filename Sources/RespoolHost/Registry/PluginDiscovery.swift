import Glibc
import RespoolMedia

/// A search for the plugins on a search path and for the factories of each.
struct PluginDiscovery {
  let searchPath: PluginSearchPath
  let cacheFolder: String?
  /// `true` if plugins that failed are tried again although their files have not changed.
  var retriesFailures = false
  var describer = PluginDescriber()

  func run() -> [PluginRecord] {
    var cache = cacheFolder.map { DescriptionCache(folder: $0) }
    var descriptions: [String: PluginDescription] = [:]
    var fresh: [(path: String, identity: DescriptionCache.Identity?)] = []
    let files = files()
    var libraries = LibraryCheck()
    for (path, problem) in files {
      if let problem {
        descriptions[path] = .fails(problem)
        continue
      }
      let identity = DescriptionCache.Identity(ofFileAt: path)
      if let identity, let known = cache?.description(of: path, identity),
        isGood(known, &libraries)
      {
        descriptions[path] = known
      } else {
        fresh.append((path, identity))
      }
    }
    if !fresh.isEmpty {
      let answers = describer.describe(fresh.map(\.path))
      var isChanged = false
      for (file, answer) in zip(fresh, answers) {
        descriptions[file.path] = answer
        // A file that changed while it was described is described again the next time.
        guard let identity = file.identity,
          identity == DescriptionCache.Identity(ofFileAt: file.path)
        else { continue }
        if case .fails(let failure) = answer, !failure.lasts {
          isChanged = cache?.entries[file.path] != nil || isChanged
          cache?.remove(file.path)
        } else {
          cache?.set(answer, for: file.path, identity)
          isChanged = true
        }
      }
      if isChanged { cache?.save() }
    }
    return records(files.compactMap { file in descriptions[file.path].map { (file.path, $0) } })
  }

  /// Returns `false` if the plugin has to be described again.
  private func isGood(_ known: PluginDescription, _ libraries: inout LibraryCheck) -> Bool {
    switch known {
    case .fails: !retriesFailures
    // If a library is missing or was replaced, the plugin's abilities may have changed.
    case .works(let statement): libraries.isUnchanged(statement.libraries)
    }
  }

  /// Returns every plugin file once, in the order of the search path, with the reason not to open it.
  private func files() -> [(path: String, problem: PluginFailure?)] {
    var seen: Set<String> = []
    var folders: Set<DescriptionCache.Identity> = []
    var files: [(path: String, problem: PluginFailure?)] = []
    for folder in searchPath.folders {
      // A folder with two names counts once.
      guard let identity = DescriptionCache.Identity(ofFileAt: folder.path),
        folders.insert(identity).inserted
      else { continue }
      let problem = PluginFailure.untrusted(folder: folder.path)
      for path in PluginSearchPath.files(in: folder) where seen.insert(path).inserted {
        files.append((path, problem ?? PluginFailure.untrusted(file: path)))
      }
    }
    return files
  }

  private func records(_ found: [(String, PluginDescription)]) -> [PluginRecord] {
    var first: [String: String] = [:]
    return found.map { path, description in
      var record = PluginRecord(description, path: path)
      guard record.status == .ok else { return record }
      if let winner = first[record.name] {
        record.status = .shadowed
        record.reason = "\(winner) has the same name and comes first"
        record.advice = "remove one of the two, or change their order in RESPOOL_PLUGIN_PATH"
      } else {
        first[record.name] = path
      }
      return record
    }
  }
}

extension PluginRecord {
  package init(_ description: PluginDescription, path: String) {
    switch description {
    case .fails(let failure):
      self.init(
        name: Self.name(ofFile: path), path: path, status: .failed, reason: failure.reason,
        advice: failure.advice)
    case .works(let statement):
      self.init(
        name: statement.name, path: path, version: statement.version, license: statement.license,
        status: .ok, factories: statement.factories)
      indices = statement.indices
      abi = statement.abi
      libraries = statement.libraries.map(\.path)
    }
  }

  /// Describes the plugin file at `path` in a process of its own, without using the cache.
  package init(describingFileAt path: String) {
    // dlopen needs a slash to recognize a path.
    let path = path.contains("/") ? path : "./" + path
    self.init(PluginDescriber().describe([path])[0], path: path)
  }

  /// All factories of the plugin, ready to be opened.
  package var provided: [PluginFactory] {
    zip(factories, indices).map { PluginFactory(plugin: self, description: $0, index: $1) }
  }
}
