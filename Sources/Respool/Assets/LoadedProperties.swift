import RespoolMedia
import Synchronization

/// Which properties of an asset or a track have been loaded, by their names.
final class LoadedProperties: Sendable {
  private enum Entry: Sendable {
    case loading
    /// Nil: the value can be had again at once.
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

  /// The value that was loaded before, or what `property` finds out now; a failure is tried again.
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

  /// What has been loaded stays so, whoever else is still at it.
  private func note(_ entry: Entry, of name: String) {
    entries.withLock { entries in
      if case .loaded = entries[name] { return }
      entries[name] = entry
    }
  }
}
