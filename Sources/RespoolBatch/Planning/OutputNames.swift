import RespoolMedia

/// Assignment of output names, which finds files with the same name.
struct OutputNames {
  struct Entry {
    /// Path of the file for messages.
    var path: String
    var relative: String
    var outputExtension: String
  }

  /// Returns the names in the order of the entries, or the reason why a file cannot have one.
  ///
  /// `ownerOf` returns the source of a finished output with a name; `nil` if there is none.
  static func assign(
    _ entries: [Entry], onCollision: BatchOptions.OnCollision,
    owner ownerOf: (PathKey) -> String? = { _ in nil }
  ) -> [Result<String, MediaError>] {
    var names = entries.map { PathKey(name(for: $0, suffix: "")) }
    var users: [PathKey: [Int]] = [:]
    for (index, name) in names.enumerated() { users[name, default: []].append(index) }
    var taken = Set(names)
    var results = names.map { checked($0) }
    for (name, indices) in users.sorted(by: { ($0.value.first ?? 0) < ($1.value.first ?? 0) }) {
      let owner = ownerOf(name)
      guard indices.count > 1 || owner != nil else { continue }
      switch onCollision {
      case .fail:
        for index in indices {
          let other =
            owner
            ?? indices.first { $0 != index }.map { entries[$0].path } ?? "another file"
          results[index] = .failure(
            MediaError(
              .invalidArgument,
              "the output \(name.path) is also that of \(other); "
                + "use --on-collision rename to keep both"))
        }
      case .rename:
        for index in indices.dropFirst(owner == nil ? 1 : 0) {
          // The source's extension distinguishes the outputs best; numbers are added only if that is not
          // enough.
          let kind = PathName.splitExtension(PathName.last(entries[index].relative)).extension
          var candidate = name
          var number = 1
          repeat {
            let suffix = number == 1 ? (kind.isEmpty ? " 2" : " \(kind)") : " \(kind) \(number)"
            candidate = PathKey(self.name(for: entries[index], suffix: suffix))
            number += 1
          } while taken.contains(candidate) || ownerOf(candidate) != nil
          taken.insert(candidate)
          names[index] = candidate
          results[index] = checked(candidate)
        }
      }
    }
    return results
  }

  private static func name(for entry: Entry, suffix: String) -> String {
    name(of: entry.relative, suffix: suffix, extension: entry.outputExtension)
  }

  /// Returns the name of the output of the source at `relative`.
  static func name(of relative: String, suffix: String = "", extension: String) -> String {
    let stem = PathName.splitExtension(PathName.last(relative)).stem
    return PathName.join(PathName.folder(relative), "\(stem)\(suffix).\(`extension`)")
  }

  private static func checked(_ key: PathKey) -> Result<String, MediaError> {
    let name = key.path
    // NAME_MAX of Linux file systems.
    let length = PathName.bytes(PathName.last(name)).count
    guard length <= 255 else {
      return .failure(
        MediaError(
          .invalidArgument,
          "the output name would have \(length) bytes; a file name has at most 255"))
    }
    return .success(name)
  }
}
