/// A sample of timed metadata: values, each under the local number of its key (QuickTime File Format,
/// "Timed metadata sample data format"; ISO/IEC 14496-12 12.9).
public struct MetadataSample: Hashable, Sendable {
  /// A value and the local number of its key.
  public struct Value: Hashable, Sendable {
    public var localID: UInt32
    public var bytes: [UInt8]

    public init(localID: UInt32, bytes: [UInt8]) {
      self.localID = localID
      self.bytes = bytes
    }
  }

  public var values: [Value]

  public init(values: [Value] = []) { self.values = values }

  /// Parses a sample; it ends before a value that is not whole.
  public init(_ bytes: [UInt8]) {
    values = []
    var reader = ByteReader(bytes)
    while let (localID, payload) = reader.nextAtom() {
      guard localID.rawValue != 0 else { continue }
      values.append(Value(localID: localID.rawValue, bytes: Array(payload.bytes)))
    }
  }

  /// The sample; without values the atom that stands for no key, because a sample has to have bytes.
  public var bytes: [UInt8] {
    guard !values.isEmpty else { return UInt32(8).bigEndianBytes + UInt32(0).bigEndianBytes }
    return values.flatMap { value in
      UInt32(clamping: value.bytes.count + 8).bigEndianBytes + value.localID.bigEndianBytes
        + value.bytes
    }
  }
}

extension ByteReader {
  /// Reads the next atom (size, type, payload); `nil` at the end or if the atom is damaged.
  mutating func nextAtom() -> (type: FourCC, payload: ByteReader)? {
    guard remaining >= 8, let size = try? big(UInt32.self), let type = try? big(UInt32.self),
      size >= 8, let payload = try? sub(Int(size) - 8)
    else { return nil }
    return (FourCC(rawValue: type), payload)
  }

  /// The bytes that have not been read.
  var rest: ArraySlice<UInt8> { bytes.dropFirst(position) }
}
