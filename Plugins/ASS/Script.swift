import CASS
import RespoolPlugin

/// A script that libass has read, and the renderer for the frames of a filter.
final class Script {
  private let library: OpaquePointer
  private let renderer: OpaquePointer
  private let track: UnsafeMutablePointer<ASS_Track>
  private let receiver: UnsafeMutablePointer<cass_receiver>
  private let messages = Messages()

  /// Maximum memory in MB for bitmaps of letters that libass keeps; the library's own is 128.
  private static let bitmaps: Int32 = 64

  init(_ settings: FilterSettings) throws(MediaError) {
    guard let library = ass_library_init() else {
      throw MediaError(.internal, "libass has no memory")
    }
    self.library = library
    receiver = .allocate(capacity: 1)
    receiver.initialize(
      to: cass_receiver(
        receive: { message, context in
          guard let context else { return }
          Unmanaged<Messages>.fromOpaque(context).takeUnretainedValue()
            .add(String(cString: message))
        }, context: Unmanaged.passUnretained(messages).toOpaque()))
    cass_send_messages(library, receiver)
    ass_set_extract_fonts(library, 1)
    guard let renderer = ass_renderer_init(library), let track = ass_new_track(library) else {
      throw MediaError(.internal, "libass has no memory")
    }
    (self.renderer, self.track) = (renderer, track)
    ass_set_cache_limits(renderer, 0, Self.bitmaps)
    read(settings)
    place(settings)
    ass_set_fonts(
      renderer, nil, "sans-serif", Int32(ASS_FONTPROVIDER_AUTODETECT.rawValue), nil, 1)
    messages.isOpening = false
  }

  deinit {
    ass_free_track(track)
    ass_renderer_done(renderer)
    ass_library_done(library)
    receiver.deallocate()
  }

  /// Returns the images of a time, which are valid until the next call, and whether they differ from those before.
  ///
  /// `nil` if nothing is shown.
  func images(at milliseconds: Int64) -> (UnsafePointer<ASS_Image>?, hasChanged: Bool) {
    var change: Int32 = 0
    let images = ass_render_frame(renderer, track, milliseconds, &change)
    return (UnsafePointer(images), change != 0)
  }

  /// Letters and fonts that are missing.
  var results: [FilterResult] { messages.results }

  private func read(_ settings: FilterSettings) {
    var header = Array((settings[option: "header"] ?? "").utf8CString)
    ass_process_codec_private(track, &header, Int32(clamping: header.count - 1))
    // Copies of an event count too: an edit may show one twice.
    ass_set_check_readorder(track, 0)
    for line in (settings[option: "events"] ?? "").utf8.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
      guard parts.count == 3, let start = Int64(Substring(parts[0])),
        let duration = Int64(Substring(parts[1]))
      else { continue }
      var text = parts[2].map { CChar(bitPattern: $0) } + [0]
      ass_process_chunk(track, &text, Int32(clamping: text.count - 1), start, duration)
    }
  }

  /// Sets the size of the frames, the parts of the video that they lack, and the shape of pixels.
  private func place(_ settings: FilterSettings) {
    func number(_ name: String) -> Int32 { settings[option: name].flatMap { Int32($0) } ?? 0 }
    let frames = settings.track
    let size = (Int32(clamping: frames.width), Int32(clamping: frames.height))
    let (width, height) = (number("storage-width"), number("storage-height"))
    ass_set_frame_size(renderer, size.0, size.1)
    ass_set_storage_size(
      renderer, width > 0 ? width : size.0, height > 0 ? height : size.1)
    let cropped = ["top", "bottom", "left", "right"].map { number("cropped-\($0)") }
    ass_set_margins(renderer, -cropped[0], -cropped[1], -cropped[2], -cropped[3])
    // Lines without a position are laid out in the frame that remains.
    ass_set_use_margins(renderer, cropped.contains { $0 > 0 } ? 1 : 0)
    // libass multiplies widths by this value; on frames with wide pixels, letters must be narrow.
    let aspect = frames.sampleAspect
    ass_set_pixel_aspect(renderer, aspect.isPositive ? 1 / aspect.doubleValue : 1)
  }
}

/// Messages of libass about fonts.
private final class Messages {
  /// `true` before the script is shown: fonts that are looked for as a last resort do not matter yet.
  var isOpening = true
  /// Code points without a glyph, in hexadecimal, and names of fonts that are not installed.
  private var (glyphs, fonts): (Set<String>, Set<String>) = ([], [])

  /// Maximum number of each that is kept.
  private static let most = 64

  func add(_ message: String) {
    guard !isOpening else { return }
    if message.contains("failed to find any fallback") || message.contains("broken font") {
      guard let place = message.firstRange(of: "0x")?.upperBound else { return }
      let digits = message[place...].prefix(while: \.isHexDigit)
      if glyphs.count < Self.most { glyphs.insert(String(digits)) }
    } else if let place = message.firstRange(of: "default font family: (")?.upperBound {
      let name = message[place...].prefix { $0 != "," }
      if fonts.count < Self.most { fonts.insert(String(name)) }
    }
  }

  var results: [FilterResult] {
    [("missing-glyphs", glyphs.sorted()), ("missing-fonts", fonts.sorted())].compactMap {
      $1.isEmpty ? nil : FilterResult($0, $1.joined(separator: ", "))
    }
  }
}
