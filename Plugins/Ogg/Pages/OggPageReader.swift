import COgg
import RespoolPlugin

/// A reader of pages that skips all other data.
final class OggPageReader {
  private static let chunk = 1 << 16

  private let source: ByteSource
  private let state: UnsafeMutablePointer<ogg_sync_state>
  /// File offset of the first byte that has not been parsed.
  private(set) var offset: Int64 = 0
  /// Serial numbers of the streams whose first page was read.
  private(set) var begun: Set<UInt32> = []
  private static let mostBegun = 100_000
  /// File offset of the next byte to read.
  private var readOffset: Int64 = 0

  init(_ source: ByteSource) {
    self.source = source
    state = .allocate(capacity: 1)
    state.initialize(to: ogg_sync_state())
    ogg_sync_init(state)
  }

  deinit {
    ogg_sync_clear(state)
    state.deallocate()
  }

  /// Continues at a file offset, which need not be the start of a page.
  func seek(to offset: Int64) {
    ogg_sync_reset(state)
    self.offset = offset
    readOffset = offset
  }

  /// Returns the next page that starts before `end`.
  ///
  /// `nil` if there is none.
  func next(before end: Int64 = .max) throws(MediaError) -> OggPage? {
    while offset < end {
      var found = ogg_page()
      let count = Int64(ogg_sync_pageseek(state, &found))
      if count > 0 {
        let start = offset
        offset += count
        guard let page = OggPage(found, offset: start) else { continue }
        if page.isFirst, begun.count < Self.mostBegun { begun.insert(page.serial) }
        return page
      }
      if count < 0 {
        offset -= count
      } else {
        guard try fill() else { return nil }
      }
    }
    return nil
  }

  private func fill() throws(MediaError) -> Bool {
    if source.isCancelled { throw MediaError(.cancelled, "stopped") }
    guard let buffer = ogg_sync_buffer(state, Self.chunk) else {
      throw MediaError(.limitExceeded, "there is no memory for a page", offset: offset)
    }
    let count = try source.read(
      at: readOffset, into: UnsafeMutableRawBufferPointer(start: buffer, count: Self.chunk))
    ogg_sync_wrote(state, count)
    readOffset += Int64(count)
    return count > 0
  }
}
