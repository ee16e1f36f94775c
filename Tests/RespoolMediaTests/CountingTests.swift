import RespoolMedia
import Testing

/// Numbers with nouns in messages.
@Suite struct Counting {
  @Test(arguments: [
    (0, "packet", "0 packets"), (1, "packet", "1 packet"), (2, "packet", "2 packets"),
    (1, "factory", "1 factory"), (3, "factory", "3 factories"), (2, "delay", "2 delays"),
  ])
  func `a noun has the form of its number`(number: Int, noun: String, text: String) {
    #expect(number.counting(noun) == text)
  }

  @Test func `a verb has the form of its number`() {
    #expect(1.counting("entry", "is", "are") == "1 entry is")
    #expect(2.counting("entry", "is", "are") == "2 entries are")
  }
}
