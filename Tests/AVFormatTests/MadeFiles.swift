/// Small files built byte by byte.
enum MadeFiles {
  /// Returns a Sun AU file: signed 16-bit, big-endian, stereo, 8000 Hz.
  static func au(samples: Int) -> [UInt8] {
    var file = Array(".snd".utf8)
    for word in [24, UInt32(samples * 4), 3, 8000, 2] as [UInt32] {
      file += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
    for index in 0..<samples * 2 {
      file += [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index * 7)]
    }
    return file
  }

  /// Returns a YUV4MPEG2 file of 4x2 pixels and 25 frames per second, with frame n filled with n.
  static func y4m(pictures: Int) -> [UInt8] {
    var file = Array("YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C420jpeg\n".utf8)
    for picture in 0..<pictures {
      file += Array("FRAME\n".utf8) + [UInt8](repeating: UInt8(picture), count: 12)
    }
    return file
  }

  /// Returns a GIF89a file of one black pixel, with frames of 0.1 s.
  static func gif(pictures: Int) -> [UInt8] {
    var file = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    for _ in 0..<pictures {
      file += [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
      file += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
    }
    return file + [0x3B]
  }

  /// Returns raw H.264 of 16x16 pixels at 30 frames a second, coded with B-frames: `count` times nine frames.
  static func h264(repeating count: Int) -> [UInt8] {
    let text =
      "000000016764000aac76117b0110000003001000000303c0f12258460000000168e8438f2c8b0000"
      + "01658881000cfffef6ecbe07cf00000001419a08db10cffee000000001419e104e215fc481000000"
      + "01019e189a909fc78000000001419a19926a0405a26530217ffee100000001419e210b8857ffc481"
      + "00000001019e29592427ffc78100000001419a2a136a0405b5a265300213fffec100000001019e31"
      + "c96427ffc780"
    let digits = Array(text)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
    return Array(repeatElement(bytes, count: count).joined())
  }
}
