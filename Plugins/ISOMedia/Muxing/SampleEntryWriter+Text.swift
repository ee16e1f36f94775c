import RespoolPlugin

/// Sample entries for subtitles, chapters and timed metadata.
extension SampleEntryWriter {
  func text() -> SampleDescriptionBox.Entry {
    // At least 18 bytes of display settings (3GPP TS 26.245 5.16), or defaults if there are none.
    let stated = track.codec == "mov_text" && track.extradata.count >= 18 ? track.extradata : nil
    return plainEntry("tx3g") {
      if let stated {
        $0.raw(stated)
        return
      }
      // Display flags: some samples are forced, and all of them are.
      $0.u32(track.disposition.contains(.forced) ? 0xC000_0000 : 0)
      // Justification: horizontally centered, vertically at the bottom. Background color: transparent.
      $0.raw([1, 0xFF, 0, 0, 0, 0])
      // Text box.
      $0.zeros(8)
      // Style: start and end character, font 1, style flags, size 16, color white.
      $0.raw([0, 0, 0, 0, 0, 1, 0, 16, 0xFF, 0xFF, 0xFF, 0xFF])
      $0.box("ftab") {
        $0.u16(1)
        $0.u16(1)
        $0.u8(5)
        $0.raw("Arial".utf8)
      }
    }
  }

  /// Returns QuickTime's text description with default settings (QuickTime File Format, "Text sample description").
  func chapterText() -> SampleDescriptionBox.Entry {
    plainEntry("text") {
      // Display flags: the text is not displayed (`dfDontDisplay`).
      $0.u32(1)
      // Justification 4, background color 6, text box 8, reserved 8, font number 2, font face 2, reserved 3,
      // foreground color 6, an empty font name 1, and 7 bytes of padding.
      $0.zeros(47)
    }
  }

  /// Returns the entry for timed metadata: its table of keys (14496-12 12.9).
  func metadata() -> SampleDescriptionBox.Entry { plainEntry("mebx") { $0.raw(track.extradata) } }

  /// Returns an entry with the fields of every sample entry (14496-12 8.5.2.2), then those that `body` writes.
  private func plainEntry(
    _ format: FourCC, _ body: (inout BoxWriter) -> Void
  ) -> SampleDescriptionBox.Entry {
    entry(format) {
      $0.zeros(6)
      // Data reference index.
      $0.u16(1)
      body(&$0)
    }
  }
}
