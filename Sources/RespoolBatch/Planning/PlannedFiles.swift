import CLinux
import Glibc
import HeapModule
import RespoolMedia

/// The planned files that wait for their conversion, those with the most work first, so that no core waits for the
/// last one.
///
/// Their descriptions are in a temporary file without a name: those of a million files would need too much memory.
final class PlannedFiles {
  /// A waiting file: its rank, and where its description is.
  private struct Waiting: Comparable {
    let cost: Double
    let size: Int64
    let number: Int
    let offset: Int
    let count: Int

    /// The largest is first among files with equal work, then the one that was found first.
    static func < (a: Self, b: Self) -> Bool {
      (a.cost, a.size, b.number) < (b.cost, b.size, a.number)
    }

    static func == (a: Self, b: Self) -> Bool { a.number == b.number }
  }

  private var heap = Heap<Waiting>()
  /// Descriptions that could not be written into the file, such as on a full disk.
  private var kept: [Int: [UInt8]] = [:]
  /// Descriptor of the file; -1 if there is none.
  private let file: Int32
  private var end = 0
  /// The first file, after it has been read.
  private var head: BatchFile?

  /// Creates an empty list; `folder` is where the temporary file is made.
  init(in folder: String) {
    file = PathName.withSystemPath(folder) { linux_open_nameless($0) }
  }

  deinit { if file >= 0 { close(file) } }

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }

  func insert(_ file: BatchFile) {
    let line = file.line
    heap.insert(
      Waiting(
        cost: file.plan.cost, size: file.size, number: file.number, offset: end,
        count: line.count))
    head = nil
    if write(line) { end += line.count } else { kept[file.number] = line }
  }

  private func write(_ line: [UInt8]) -> Bool {
    guard file >= 0 else { return false }
    return line.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = pwrite(
          file, bytes.baseAddress.map { $0 + done }, bytes.count - done, end + done)
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// Returns the file that is converted next; `nil` if none waits.
  ///
  /// Throws `io` if its description cannot be read.
  func first() throws(MediaError) -> BatchFile? {
    if let head { return head }
    guard let waiting = heap.max else { return nil }
    let line =
      kept[waiting.number]
      ?? [UInt8](unsafeUninitializedCapacity: waiting.count) { buffer, count in
        count = max(0, pread(file, buffer.baseAddress, waiting.count, waiting.offset))
      }
    guard line.count == waiting.count, let read = BatchFile(line: line.dropLast()) else {
      throw MediaError(.io, "the list of the planned files cannot be read")
    }
    head = read
    return read
  }

  /// Removes the file that `first` returns.
  func removeFirst() {
    guard let waiting = heap.popMax() else { return }
    kept[waiting.number] = nil
    head = nil
  }
}
