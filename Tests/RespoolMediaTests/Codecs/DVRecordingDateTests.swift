import RespoolMedia
import Testing

@Suite struct DVRecordingDateTests {
  /// Returns a frame whose blocks of subcode (1) or VAUX (2) have packs.
  private func frame(_ section: UInt8, _ packs: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = [0x1F, 0x07, 0, 0xBF] + [UInt8](repeating: 0xFF, count: 76)
    var block: [UInt8] = [section << 5 | 0x1F, 0x07, 0]
    for pack in packs { block += (section == 1 ? [0x80, 0, 0xFF] : []) + pack }
    bytes += block + [UInt8](repeating: 0xFF, count: 80 - block.count)
    return bytes
  }

  private let day: [UInt8] = [0x62, 0xFF, 0xC6, 0xE5, 0x04]
  private let time: [UInt8] = [0x63, 0xFF, 0x89, 0x88, 0xC7]

  @Test(arguments: [1, 2] as [UInt8]) func `date and time of recording are read`(section: UInt8) {
    #expect(DVRecordingDate.text(frame(section, [day, time])) == "2004-05-06T07:08:09")
    #expect(DVRecordingDate.text(frame(section, [day])) == "2004-05-06")
    #expect(DVRecordingDate.text(frame(section, [[0x62, 0xFF, 0xC6, 0xE5, 0x97]])) == "1997-05-06")
  }

  @Test func `unknown and impossible dates are left out`() {
    for pack in [[0x62, 255, 255, 255, 255], [0x62, 0, 0xC0, 0xE5, 4], [0x62, 0, 0x1A, 0xE5, 4]] {
      #expect(DVRecordingDate.text(frame(2, [pack.map { UInt8($0) }, time])) == nil)
    }
    #expect(DVRecordingDate.text([1, 2, 3]) == nil)
    #expect(DVRecordingDate.text([UInt8](repeating: 0xFF, count: 12_000)) == nil)
    let whole = frame(2, [day, time])
    for count in 0..<whole.count { _ = DVRecordingDate.text(whole.prefix(count)) }
  }

  @Test func `a date that the file states already is not added`() {
    var media = MediaDescription(format: "dv")
    media.metadata = [MetadataEntry("creation_time", "2004-05-06T07:08:09.000000Z")]
    media.addRecordingDate(ofDVFrame: frame(2, [day, time]))
    #expect(media.metadata.count == 1)
    media.metadata = [MetadataEntry("creation_time", "2005-05-06T07:08:09Z")]
    media.addRecordingDate(ofDVFrame: frame(2, [day, time]))
    #expect(media.metadata.last == MetadataEntry("date", "2004-05-06T07:08:09"))
    media.metadata.append(MetadataEntry("DATE", "2001"))
    media.metadata.remove(at: 1)
    media.addRecordingDate(ofDVFrame: frame(2, [day, time]))
    #expect(media.metadata.count == 2)
  }
}
