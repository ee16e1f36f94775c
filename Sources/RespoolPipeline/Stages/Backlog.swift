/// First-in, first-out queue whose removal cost does not depend on its length.
package struct Backlog<Element> {
  private var elements: [Element?] = []
  private var head = 0

  package init() {}

  package var count: Int { elements.count - head }
  package var isEmpty: Bool { head == elements.count }
  /// Element that is removed next.
  ///
  /// `nil` if the queue is empty.
  package var first: Element? { isEmpty ? nil : elements[head] }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let first = elements[head]
    // Released now and not when the array is shortened: the element may hold a frame.
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
