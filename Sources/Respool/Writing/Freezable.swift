import Synchronization

/// Values that can be changed until they are frozen; later changes have no effect.
@dynamicMemberLookup
final class Freezable<Values: Sendable>: Sendable {
  private let state: Mutex<(values: Values, isFrozen: Bool)>

  init(_ values: Values) { state = Mutex((values, false)) }

  subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Values, Value>) -> Value {
    get { state.withLock { $0.values[keyPath: path] } }
    set { state.withLock { if !$0.isFrozen { $0.values[keyPath: path] = newValue } } }
  }

  /// Freezes the values and returns them.
  @discardableResult func freeze() -> Values {
    state.withLock { state in
      state.isFrozen = true
      return state.values
    }
  }
}
