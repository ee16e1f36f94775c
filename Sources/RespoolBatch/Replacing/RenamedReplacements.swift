import Glibc
import RespoolHost
import RespoolMedia

/// Replacements that the user has moved or renamed since the last batch, as the files of the folder show.
struct RenamedReplacements {
  private let folder: OutputFolder

  init(_ folder: OutputFolder) { self.folder = folder }

  /// Returns the entries with the present names of their replacements, which the ledger gets too.
  ///
  /// Looks for files with the size and the samples of replacements that are not at their paths. Two of them may have
  /// exchanged their names.
  func find(_ known: [LedgerEntry]) -> [LedgerEntry] {
    var entries = known
    var missing: [Int64: [Int]] = [:]
    var formerNames: Set<PathKey> = []
    for (index, entry) in entries.enumerated() {
      guard let output = entry.output, entry.replaced?.temporary == nil,
        entry.replaced?.state != .superseded,
        !folder.isInPlace(output)
      else { continue }
      missing[output.stamp.size, default: []].append(index)
      formerNames.insert(PathKey(output.name))
    }
    guard !missing.isEmpty else { return entries }
    var renamed: Set<Int> = []
    var walker = Walker([folder.path], excluding: nil, followsLinks: false, isReplacing: true)
    while let group = walker.next() {
      for file in group.files {
        guard let candidates = missing[file.size],
          formerNames.contains(PathKey(file.relative))
            || folder.entry(ofOutput: file.relative) == nil,
          let found = candidates.first(where: {
            entries[$0].output?.mark?.matches(file.path, changed: file.changed) ?? false
          })
        else { continue }
        missing[file.size]?.removeAll { $0 == found }
        renamed.insert(found)
        entries[found].output?.name = file.relative
        entries[found].output?.mark?.changed = file.changed
        // If another file has the name of the original, it is named as its replacement.
        let place = PathName.join(PathName.folder(file.path), PathName.last(entries[found].source))
        if PathKey(PathName.last(place)) != PathKey(PathName.last(file.path)), fileExists(place),
          let output = entries[found].output
        {
          entries[found].source = folder.sourceNamed(like: output, of: entries[found])
        }
      }
    }
    // An entry with the name of another one would take its place.
    let others = Set(renamed.compactMap { entries[$0].output.map { PathKey($0.name) } })
    for index in entries.indices where !renamed.contains(index) {
      guard let name = entries[index].output?.name, others.contains(PathKey(name)) else { continue }
      entries[index].output?.name = folder.nameOfMissing(name)
      renamed.insert(index)
    }
    folder.together {
      for index in renamed { folder.forget(known[index]) }
      for index in renamed { folder.put(entries[index]) }
    }
    return entries
  }
}

extension OutputFolder {
  /// Returns `true` if the file with the name of an output is that output.
  func isInPlace(_ output: LedgerEntry.Output) -> Bool {
    var status = stat()
    let path = PathName.join(path, output.name)
    return PathName.withSystemPath(path) { lstat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFREG && Int64(status.st_size) == output.stamp.size
      && output.mark?.matches(path, changed: status.changed) ?? true
  }

  /// Returns a name that no file and no output has, for an output that is gone and whose name another one has now.
  func nameOfMissing(_ name: String) -> String {
    freeName(like: name, adding: "missing") {
      fileExists(PathName.join(path, $0)) || entry(ofOutput: $0) != nil
    }
  }
}

/// Returns the path with a word before its extension, and with a number after it if `isTaken` returns `true`:
/// `film changed.mp4`, `film changed 2.mp4`.
func freeName(like path: String, adding word: String, isTaken: (String) -> Bool) -> String {
  let (stem, suffix) = PathName.splitExtension(PathName.last(path))
  var number = 1
  while true {
    let name = "\(stem) \(word)" + (number > 1 ? " \(number)" : "")
    let free = PathName.join(
      PathName.folder(path), suffix.isEmpty ? name : "\(name).\(suffix)")
    if !isTaken(free) { return free }
    number += 1
  }
}
