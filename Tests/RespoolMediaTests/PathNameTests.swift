import RespoolMedia
import Testing

@Suite struct PathNameTests {
  @Test(arguments: [
    ("film.mp4", "film", "mp4"), ("a.b.MKV", "a.b", "mkv"), ("x.264", "x", "264"),
    ("v1.2", "v1.2", ""), ("take.07", "take.07", ""), (".hidden", ".hidden", ""),
    ("end.", "end", ""),
  ])
  func `a name has an extension`(name: String, stem: String, suffix: String) {
    let parts = PathName.splitExtension(name)
    #expect(parts.stem == stem && parts.extension == suffix)
  }
}
