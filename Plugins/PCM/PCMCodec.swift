import RespoolPlugin

/// A PCM codec, by FFmpeg's name: the coding of its samples and their decoded format.
struct PCMCodec: Sendable {
  enum Coding: Sendable {
    /// The bytes of `sampleFormat` on a little-endian machine.
    case native
    /// The bytes of `sampleFormat` in reverse order.
    case swapped
    /// Signed bytes, decoded to unsigned bytes.
    case signedByte
    /// 24 bits, decoded to the upper 24 of 32 bits.
    case packed24(isBigEndian: Bool)
    case companded(CompandingLaw)
  }

  var name: String
  var coding: Coding
  var sampleFormat: SampleFormat
  /// Bytes of one coded sample.
  var bytes: Int

  static let all: [PCMCodec] = [
    PCMCodec(name: "pcm_u8", coding: .native, sampleFormat: .u8, bytes: 1),
    PCMCodec(name: "pcm_s8", coding: .signedByte, sampleFormat: .u8, bytes: 1),
    PCMCodec(name: "pcm_s16le", coding: .native, sampleFormat: .s16, bytes: 2),
    PCMCodec(name: "pcm_s16be", coding: .swapped, sampleFormat: .s16, bytes: 2),
    PCMCodec(
      name: "pcm_s24le", coding: .packed24(isBigEndian: false), sampleFormat: .s32, bytes: 3),
    PCMCodec(
      name: "pcm_s24be", coding: .packed24(isBigEndian: true), sampleFormat: .s32, bytes: 3),
    PCMCodec(name: "pcm_s32le", coding: .native, sampleFormat: .s32, bytes: 4),
    PCMCodec(name: "pcm_s32be", coding: .swapped, sampleFormat: .s32, bytes: 4),
    PCMCodec(name: "pcm_f32le", coding: .native, sampleFormat: .flt, bytes: 4),
    PCMCodec(name: "pcm_f32be", coding: .swapped, sampleFormat: .flt, bytes: 4),
    PCMCodec(name: "pcm_f64le", coding: .native, sampleFormat: .dbl, bytes: 8),
    PCMCodec(name: "pcm_f64be", coding: .swapped, sampleFormat: .dbl, bytes: 8),
    PCMCodec(name: "pcm_alaw", coding: .companded(.a), sampleFormat: .s16, bytes: 1),
    PCMCodec(name: "pcm_mulaw", coding: .companded(.mu), sampleFormat: .s16, bytes: 1),
  ]

  /// Returns the codec with a name.
  ///
  /// `nil` if the name is unknown.
  static func named(_ name: String) -> PCMCodec? { all.first { $0.name == name } }

  /// `true` if coded and decoded samples have the same bytes.
  var isNative: Bool {
    if case .native = coding { true } else { false }
  }

  /// Decodes `count` samples.
  ///
  /// Both buffers must have room for them.
  func decode(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, count: Int
  ) {
    switch coding {
    case .native, .swapped, .signedByte: convert(input, to: output, count: count)
    case .packed24(let isBigEndian):
      let (low, high) = isBigEndian ? (2, 0) : (0, 2)
      for index in 0..<count {
        let at = index * 3
        let value =
          UInt32(input[at + low]) << 8 | UInt32(input[at + 1]) << 16
          | UInt32(input[at + high]) << 24
        output.storeBytes(of: value, toByteOffset: index * 4, as: UInt32.self)
      }
    case .companded(let law):
      for index in 0..<count {
        output.storeBytes(
          of: law.levels[Int(input[index])], toByteOffset: index * 2, as: Int16.self)
      }
    }
  }

  /// Encodes `count` samples.
  ///
  /// Both buffers must have room for them.
  func encode(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, count: Int
  ) {
    switch coding {
    case .native, .swapped, .signedByte: convert(input, to: output, count: count)
    case .packed24(let isBigEndian):
      let (low, high) = isBigEndian ? (2, 0) : (0, 2)
      for index in 0..<count {
        let value = input.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        output[index * 3 + low] = UInt8(truncatingIfNeeded: value >> 8)
        output[index * 3 + 1] = UInt8(truncatingIfNeeded: value >> 16)
        output[index * 3 + high] = UInt8(truncatingIfNeeded: value >> 24)
      }
    case .companded(let law):
      for index in 0..<count {
        output[index] = law.code(
          of: input.loadUnaligned(fromByteOffset: index * 2, as: Int16.self))
      }
    }
  }

  /// Converts between forms of the same size, in either direction.
  private func convert(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, count: Int
  ) {
    switch coding {
    case .swapped: swapBytes(input, to: output, count: count)
    case .signedByte: for index in 0..<count { output[index] = input[index] ^ 0x80 }
    default: output.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<(count * bytes)]))
    }
  }

  private func swapBytes(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, count: Int
  ) {
    func swap<T: FixedWidthInteger>(_: T.Type) {
      for at in stride(from: 0, to: count * bytes, by: bytes) {
        let value = input.loadUnaligned(fromByteOffset: at, as: T.self)
        output.storeBytes(of: value.byteSwapped, toByteOffset: at, as: T.self)
      }
    }
    switch bytes {
    case 2: swap(UInt16.self)
    case 4: swap(UInt32.self)
    default: swap(UInt64.self)
    }
  }
}
