import Respool
import RespoolMedia

/// A file name with a number in it, as `%d` or, with leading zeros, `%03d`.
struct NumberedName: Sendable {
  private let before: String
  private let after: String
  private let digits: Int

  /// Creates the pattern; `nil` for a name without a number.
  init?(_ name: String) {
    for start in name.indices where name[start] == "%" {
      let rest = name[name.index(after: start)...]
      let width = rest.prefix { $0.isASCII && $0.isNumber }
      guard rest.dropFirst(width.count).first == "d", width.isEmpty || width.first == "0",
        width.count <= 3, let digits = width.isEmpty ? 1 : Int(width), digits <= 19
      else { continue }
      before = String(name[..<start])
      after = String(rest.dropFirst(width.count + 1))
      self.digits = digits
      return
    }
    return nil
  }

  /// Returns `true` if the name is that of a number.
  func contains(_ name: String) -> Bool {
    guard name.utf8.count >= before.utf8.count + after.utf8.count + digits,
      name.hasPrefix(before), name.hasSuffix(after),
      let number = Int(name.dropFirst(before.count).dropLast(after.count))
    else { return false }
    return self[number] == name
  }

  subscript(number: Int) -> String {
    let text = String(number)
    return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
  }
}

extension OutputBroker.Outputs {
  /// The outputs of all numbers of the name `pattern`, which contains a number.
  init(numbered name: NumberedName, _ pattern: String, replacing: Bool) {
    let folder = PathName.folder(pattern)
    // The number may be in the name of the folder.
    let folders = NumberedName(folder)
    let plain = [folder, PendingFile(for: pattern).folder]
    self.init(replacing: replacing) {
      name.contains($0)
    } in: {
      folders?.contains($0) ?? plain.contains($0)
    }
  }
}
