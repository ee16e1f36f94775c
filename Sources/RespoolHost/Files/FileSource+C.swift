import CRespool
import RespoolMedia

extension FileSource {
  /// Source in the form of the plugin ABI, for demuxers.
  ///
  /// Valid while `self` and `arena` live.
  func cSource(in arena: CArena) -> rsp_source {
    rsp_source(
      struct_size: structSize(rsp_source.self), seekable: 1,
      context: Unmanaged.passUnretained(self).toOpaque(), size: size, name: arena.string(name),
      read_at: { context, offset, bytes, count in
        guard let context else { return Int64(RSP_ERROR_ARGUMENT) }
        let source = Unmanaged<FileSource>.fromOpaque(context).takeUnretainedValue()
        if source.isCancelled { return Int64(RSP_ERROR_CANCELLED) }
        do throws(MediaError) {
          return Int64(
            try source.read(
              at: offset, into: UnsafeMutableRawBufferPointer(start: bytes, count: count)))
        } catch { return Int64(error.code.rawValue) }
      },
      cancelled: { context in
        guard let context else { return 0 }
        return Unmanaged<FileSource>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
      })
  }
}
