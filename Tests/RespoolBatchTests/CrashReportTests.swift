import Testing

@testable import RespoolBatch

/// Reports of crashes, from the output of processes.
@Suite struct CrashReportTests {
  @Test func `the message of Swift's runtime is reported and not its stack`() {
    let text = """
      a line of a library
      Fatal error: failed to allocate 1099511627840 bytes of memory with alignment 64
      Current stack trace:
      0    respool                            0x000055eef0dc3e71 <unavailable> + 2666097
      22   respool                            0x000056092c0b2870 _start + 33
      respool: crash by signal 6
      """
    let report = CrashReport(text, plugins: [:])
    #expect(
      report.message
        == "Fatal error: failed to allocate 1099511627840 bytes of memory with alignment 64")
  }

  @Test func `the last line before an abort is its message`() {
    let report = CrashReport(
      "first\ndouble free or corruption (!prev)\nrespool: crash by signal 6\n", plugins: [:])
    #expect(report.message == "double free or corruption (!prev)")
  }
}
