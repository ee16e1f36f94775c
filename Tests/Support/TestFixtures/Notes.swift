import Synchronization

/// Values recorded by closures on other threads.
package final class Notes<Value: Sendable>: Sendable {
  package init() {}

  private let list = Mutex<[Value]>([])
  package var values: [Value] { list.withLock { $0 } }
  package func add(_ value: Value) { list.withLock { $0.append(value) } }
}
