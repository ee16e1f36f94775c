import Testing

@testable import RespoolMedia

@Suite struct CArenaTests {
  @Test(arguments: [
    ("title", "title"), ("title\0\0", "title"), ("one\0two\0", "one\u{FFFD}two"), ("\0", ""),
  ])
  func `a zero inside a text does not end it`(text: String, stored: String) {
    let arena = CArena()
    let copy: UnsafePointer<CChar> = arena.string(text)
    #expect(String(cString: copy) == stored)
  }
}
