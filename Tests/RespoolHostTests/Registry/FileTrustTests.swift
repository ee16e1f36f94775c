import Glibc
import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolHost

/// Plugins that others may change are not opened.
@Suite struct FileTrustTests {
  @Test(
    arguments: [
      (0, 0, 0o755, nil), (0, 0, 0o775, nil), (0, 12_345, 0o755, nil), (54_321, 0, 0o1755, nil),
      (0, 12_345, 0o775, "the group 12345 may write to it (mode 775)"),
      (0, 0, 0o1777, "every user may write to it (mode 1777)"),
      (0, 0, 0o602, "every user may write to it (mode 602)"),
    ] as [(Int, Int, Int, String?)])
  func `only root, the user and the owner of the program are trusted`(
    owner: Int, group: Int, mode: Int, problem: String?
  ) {
    // 54321 stands for the user.
    let user = owner == 54_321 ? geteuid() : uid_t(owner)
    #expect(
      FileTrust.problem(owner: user, group: gid_t(group), mode: mode_t(mode)) == problem)
  }

  @Test func `another user is not trusted`() {
    let other = geteuid() &+ 4321
    #expect(
      FileTrust.problem(owner: other, group: 0, mode: 0o755)
        == "it belongs to user \(other), who is neither root nor the user \(geteuid())")
  }

  @Test func `a file that everybody may change is named and not opened`() throws {
    let workshop = try PluginWorkshop()
    // Opening this one would crash the process that describes it.
    let path = try workshop.build("broken.c", defining: ["CRASH"], as: "open.so")
    chmod(path, 0o757)
    let record = try #require(workshop.registry().plugins.first)
    #expect(record.status == .failed)
    #expect(
      record.reason == "others may change the file: every user may write to it (mode 757)")
    #expect(record.advice == "if you trust it: `chmod go-w '\(path)'`")
    chmod(path, 0o755)
    #expect(workshop.registry().plugins.first?.reason?.contains("crashed") == true)
  }

  @Test func `no file of a folder that everybody may change is opened`() throws {
    let workshop = try PluginWorkshop()
    try workshop.build("toy.c", as: "toy.so")
    #expect(workshop.registry().plugins.map(\.status) == [.ok])
    chmod(workshop.folder.path, 0o1777)
    let record = try #require(workshop.registry().plugins.first)
    #expect(record.status == .failed)
    #expect(
      record.reason
        == "others may put files into its folder \(workshop.folder.path): every user may write to it "
        + "(mode 1777)")
    #expect(workshop.registry().factories(.demuxer).isEmpty)
  }
}
