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
  /// - Parameters:
  ///   - rule: rule by which the file system tells names apart.
  ///   - isTaken: returns `true` if an output of another file may have a name that is `stem` before its extension.
  ///   - isFolder: returns `true` if a folder of outputs gets a name.
  ///   - ownerOf: returns the absolute path of the source whose output has a name; `nil` if there is none.
  static func assign(
    _ entries: [Entry], onCollision: BatchOptions.OnCollision, rule: NameRule = .bytes,
    isTaken: (_ stem: String) -> Bool = { _ in false },
    isFolder: (_ name: String) -> Bool = { _ in false },
    owner ownerOf: (String) -> String? = { _ in nil }
  ) -> [Result<String, MediaError>] {
    let names = entries.map { name(for: $0, suffix: "") }
    var users: [NameKey: [Int]] = [:]
    for (index, name) in names.enumerated() { users[rule.key(name), default: []].append(index) }
    var taken = Set(users.keys)
    var results = names.map { checked($0) }
    /// Returns `true` if the name was that of the file's output before.
    func owns(_ index: Int, _ owner: String) -> Bool {
      PathKey(PathName.absolute(entries[index].path)) == PathKey(owner)
    }
    for (_, indices) in users.sorted(by: { ($0.value.first ?? 0) < ($1.value.first ?? 0) }) {
      let name = names[indices.first ?? 0]
      let (owner, isFolderName) = (ownerOf(name), isFolder(name))
      // The file that keeps the name.
      let keeper =
        isFolderName
        ? nil : owner.map { owner in indices.first { owns($0, owner) } } ?? indices.first
      guard indices.count > 1 || keeper == nil else { continue }
      switch onCollision {
      case .fail:
        for index in indices {
          let other =
            (keeper == nil ? owner : nil)
            ?? indices.first { $0 != index }.map { entries[$0].path } ?? "another file"
          let problem =
            isFolderName
            ? "the output \(name) would have the name of the folder for the outputs of another folder"
            : "the output \(name) is also that of \(other)"
          results[index] = .failure(
            MediaError(
              .invalidArgument, "\(problem); use --on-collision rename to keep both"))
        }
      case .rename:
        for index in indices where index != keeper {
          // The source's extension distinguishes the outputs best; numbers are added only if that is not
          // enough.
          let (stem, kind) = PathName.splitExtension(PathName.last(entries[index].relative))
          var candidate = name
          var number = 1
          while true {
            let suffix = number == 1 ? (kind.isEmpty ? " 2" : " \(kind)") : " \(kind) \(number)"
            candidate = self.name(for: entries[index], suffix: suffix)
            number += 1
            if taken.contains(rule.key(candidate)) || isTaken(stem + suffix)
              || isFolder(candidate)
            {
              continue
            }
            guard let other = ownerOf(candidate) else { break }
            if owns(index, other) { break }
          }
          taken.insert(rule.key(candidate))
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

  private static func checked(_ name: String) -> Result<String, MediaError> {
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
