/// A failure to prepare a test.
package struct FixtureError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Returns `value`; throws if it is `nil`.
package func required<Value>(_ value: Value?, _ description: String) throws -> Value {
  guard let value else { throw FixtureError(description) }
  return value
}
