import Respool
import RespoolMedia

/// The presets of an output folder, as they are now, by their identities in its ledger.
struct PagePresets {
  /// All names or paths.
  let all: [String]
  private var names: [String: String] = [:]

  /// Finds the presets with these names or paths; those that are gone or have changed are unknown.
  init(_ presets: [String]) {
    all = presets
    for name in presets.reversed() {
      if let identity = try? PresetLibrary.standard.identity(of: name) { names[identity] = name }
    }
  }

  /// Returns the name or path of the preset that has made an entry; `nil` if it is unknown.
  func name(of entry: LedgerEntry) -> String? { names[entry.preset] }
}
