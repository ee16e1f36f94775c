import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// The position of the movie box and the use of the space reserved for it.
@Suite struct MovieRoomTests {
  /// Returns the names and sizes of a file's top-level boxes.
  private func boxes(of file: MemoryFile) -> [(name: String, size: Int)] {
    var found: [(String, Int)] = []
    var start = 0
    while start + 8 <= file.bytes.count {
      let size = file.bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      found.append((String(decoding: file.bytes[start + 4..<start + 8], as: UTF8.self), size))
      guard size >= 8 else { break }
      start += size
    }
    return found
  }

  /// Returns a movie that declares a duration of `seconds` and contains `pictures` frames.
  private func movie(saying seconds: Int64, pictures: Int, bitRate: Int64 = 8_000_000)
    -> SyntheticMovie
  {
    var movie = SyntheticMovie(pictures: pictures)
    movie.media.duration = seconds * 1_000_000_000
    for index in movie.media.tracks.indices { movie.media.tracks[index].bitRate = bitRate }
    return movie
  }

  private func expectPackets(of movie: SyntheticMovie, in file: MemoryFile) throws {
    let (_, back) = try packets(of: file)
    for track in 0...1 {
      let written = movie.packets.filter { $0.track == track }
      let read = back.filter { $0.0.track == track }
      #expect(read.map(\.0.pts) == written.map(\.pts))
      #expect(read.map(\.1) == written.map { $0.buffer.map { Array($0.readOnly) } ?? [] })
    }
  }

  @Test func `the movie box fills the reserved space, with a free box for the rest`() throws {
    let movie = movie(saying: 60, pictures: 1500)
    let room = MovieRoom.size(for: movie.media)
    #expect(room > 0 && room % 4096 == 0)
    let file = try movie.file()
    let boxes = boxes(of: file)
    #expect(boxes.map(\.name) == ["ftyp", "moov", "free", "free", "mdat"])
    #expect(boxes[1].size + boxes[2].size == Int(room))
    try expectPackets(of: movie, in: file)
  }

  @Test func `a movie box that outgrows its space is moved in front of it`() throws {
    let movie = movie(saying: 10, pictures: 4000, bitRate: 20_000_000)
    let room = MovieRoom.size(for: movie.media)
    let file = try movie.file()
    let boxes = boxes(of: file)
    #expect(boxes.map(\.name) == ["ftyp", "moov", "free", "free", "mdat"])
    #expect(boxes[1].size > boxes[2].size && boxes[2].size == Int(room))
    try expectPackets(of: movie, in: file)
  }

  @Test func `no space is reserved if the movie box is wanted at the end`() throws {
    let movie = movie(saying: 60, pictures: 30)
    let file = try movie.file(options: [PluginOption("faststart", "false")])
    #expect(boxes(of: file).map(\.name) == ["ftyp", "free", "mdat", "moov"])
  }

  @Test func `no space is reserved for an unknown or very short duration`() {
    #expect(MovieRoom.size(for: movie(saying: 60, pictures: 1, bitRate: 0).media) == 0)
    #expect(MovieRoom.size(for: movie(saying: 1, pictures: 1).media) == 0)
    var endless = movie(saying: 60, pictures: 1)
    endless.media.duration = nil
    #expect(MovieRoom.size(for: endless.media) == 0)
    endless.media.duration = 60_000_000_000
    endless.media.tracks[0].frameRate = .unknown
    #expect(MovieRoom.size(for: endless.media) == 0)
  }

  @Test func `claims of a damaged file do not fill the disk`() {
    var movie = movie(saying: 60, pictures: 1)
    movie.media.duration = .max
    movie.media.tracks[0].frameRate = Rational(.max, 1)
    movie.media.tracks[0].bitRate = .max
    #expect(MovieRoom.size(for: movie.media) == 4 << 20)
  }

  @Test(arguments: [1024, 1000], [true, false])
  func `chunks stay aligned if the movie box is inserted in front or has reserved space`(
    alignment: Int, hasRoom: Bool
  ) throws {
    var movie = movie(saying: hasRoom ? 60 : 0, pictures: 30)
    let large = MediaBuffer([UInt8](repeating: 7, count: 6 << 20))
    for index in movie.packets.indices.filter({ movie.packets[$0].track == 0 }).prefix(3) {
      movie.packets[index].payload = .bytes(large)
    }
    let file = try movie.file { settings in
      for track in settings.tracks.indices {
        settings.tracks[track].chunkAlignment = Int64(alignment)
      }
    }
    #expect(file.bytes.count > 16 << 20)
    #expect(boxes(of: file).map(\.name) == ["ftyp", "moov", "free", "free", "mdat"])
    let (_, back) = try packets(of: file)
    for track in 0...1 {
      let first = back.first { $0.0.track == track }
      guard case .range(let offset, _) = try #require(first).0.payload else { continue }
      #expect(offset % Int64(alignment) == 0)
    }
    try expectPackets(of: movie, in: file)
  }
}
