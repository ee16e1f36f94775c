/// First in, first out; taking from the front costs the same however much waits.
package struct Backlog<Element> {
  private var elements: [Element?] = []
  private var head = 0

  package init() {}

  package var count: Int { elements.count - head }
  package var isEmpty: Bool { head == elements.count }
  /// The element that is taken next; `nil` if there is none.
  package var first: Element? { isEmpty ? nil : elements[head] }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let first = elements[head]
    // Given up at once, not when the array is cut: it may hold a picture.
    elements[head] = nil
    head += 1
    if head == elements.count || head >= 256 && head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  package mutating func removeAll() {
    elements = []
    head = 0
  }
}
