import RespoolMedia
import Synchronization

/// Loading states of the properties of an asset or a track, by name.
final class LoadedProperties: Sendable {
  private enum Entry: Sendable {
    case loading
    /// `nil` if the value is not kept because it can be computed at once.
    case loaded((any Sendable)?)
    case failed(MediaError)
  }

  private let entries = Mutex<[String: Entry]>([:])

  func status<Root, Value>(of property: AsyncProperty<Root, Value>, _ root: Root)
    -> AsyncProperty<Root, Value>.Status
  {
    switch entries.withLock({ $0[property.name] }) {
    case nil: return .notYetLoaded
    case .loading: return .loading
    case .loaded(nil): return property.current(of: root)
    case .loaded(let value?): return (value as? Value).map { .loaded($0) } ?? .notYetLoaded
    case .failed(let error): return .failed(error)
    }
  }

  /// Returns the cached value, or computes and caches it; a failed property is tried again.
  func load<Root, Value>(_ property: AsyncProperty<Root, Value>, of root: Root)
    async throws(MediaError) -> Value
  {
    if property.isKept, case .loaded(let value) = status(of: property, root) { return value }
    note(.loading, of: property.name)
    do throws(MediaError) {
      let value = try await property.load(from: root)
      note(.loaded(property.isKept ? value : nil), of: property.name)
      return value
    } catch {
      note(.failed(error), of: property.name)
      throw error
    }
  }

  /// Stores the state of a property, unless it is already loaded: concurrent loads must not undo that.
  private func note(_ entry: Entry, of name: String) {
    entries.withLock { entries in
      if case .loaded = entries[name] { return }
      entries[name] = entry
    }
  }
}
