/// First in, first out; taking from the front costs the same however much waits.
struct Backlog<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
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

  mutating func removeAll() {
    elements = []
    head = 0
  }
}
