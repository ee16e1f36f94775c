import PCMWriting
import RespoolPlugin

/// Chunks of a file: a name of four characters, a size and a body, padded to an even size.
enum Chunks {
  static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + UInt32(clamping: body.count).bigEndianBytes + body
      + (body.count.isMultiple(of: 2) ? [] : [0])
  }

  /// The date of AIFF-C's specification, by which readers know the version.
  static let version = chunk("FVER", UInt32(0xA280_5140).bigEndianBytes)

  /// Offset of the number of samples in the chunk of ``common(_:_:isCompressed:)``.
  static let countOffset = 10

  /// Returns the common chunk, without the number of samples.
  static func common(
    _ track: TrackDescription, _ coding: SampleCoding, isCompressed: Bool
  ) -> [UInt8] {
    var body = UInt16(clamping: track.channelLayout.channelCount).bigEndianBytes
    body += UInt32(0).bigEndianBytes + UInt16(clamping: coding.bits).bigEndianBytes
    body += extended(UInt64(max(0, track.sampleRate)))
    if isCompressed {
      let compression = coding.compression ?? ("NONE", "not compressed")
      let name = compression.name.unicodeScalars.map {
        // Mac OS Roman, of which only µ is needed beyond ASCII.
        $0 == "µ" ? 0xB5 : UInt8(truncatingIfNeeded: $0.value)
      }
      body += Array(compression.code.utf8) + [UInt8(name.count)] + name
      // The name is a counted string that fills an even number of bytes.
      if name.count.isMultiple(of: 2) { body.append(0) }
    }
    return chunk("COMM", body)
  }

  /// Returns a number as floating point of 80 bits (IEEE 754 extended precision; Apple's SANE).
  private static func extended(_ number: UInt64) -> [UInt8] {
    guard number > 0 else { return [UInt8](repeating: 0, count: 10) }
    let zeros = number.leadingZeroBitCount
    return UInt16(16383 + 63 - zeros).bigEndianBytes + (number << UInt64(zeros)).bigEndianBytes
  }

  /// Returns the chunk with the positions of channels, as Core Audio and FFmpeg write it; empty if there is none.
  static func channels(_ layout: ChannelLayout) -> [UInt8] {
    let body = layout.coreAudioBytes
    return body.isEmpty ? [] : chunk("CHAN", body)
  }

  /// Returns the chunk of markers for the starts of chapters; empty if there are none.
  ///
  /// An ID3 tag has their ends and their whole titles, of which a marker has 255 bytes.
  static func markers(_ chapters: [MediaDescription.Chapter], sampleRate: Int) -> [UInt8] {
    let chapters = chapters.prefix(Int(Int16.max))
    guard !chapters.isEmpty, sampleRate > 0 else { return [] }
    var body = UInt16(chapters.count).bigEndianBytes
    for (index, chapter) in chapters.enumerated() {
      let sample = Rational.nanoseconds.convert(
        chapter.start, to: Rational(1, Int32(clamping: sampleRate)))
      body += UInt16(index + 1).bigEndianBytes + UInt32(clamping: sample).bigEndianBytes
      var title: [UInt8] = []
      for character in chapter.title where title.count + character.utf8.count <= 255 {
        title += Array(character.utf8)
      }
      body += [UInt8(title.count)] + title
      if title.count.isMultiple(of: 2) { body.append(0) }
    }
    return chunk("MARK", body)
  }
}
