import RespoolMedia

/// Subtitles that are drawn into the frames of a video track.
public struct BurntSubtitles: Hashable, Sendable {
  /// Index of the subtitle track into the source's tracks.
  public var track: Int
  /// The filter that draws text, or the decoder of subtitles that are images.
  public var factory: AvailablePlugins.Factory
  /// Size in pixels of the frames that the subtitles were made for: those of the source, rotated as they are shown.
  public var width, height: Int
  /// Columns and rows of those frames that filters remove.
  public var left = 0
  public var right = 0
  public var top = 0
  public var bottom = 0

  package init(track: Int, factory: AvailablePlugins.Factory, width: Int, height: Int) {
    (self.track, self.factory, self.width, self.height) = (track, factory, width, height)
  }

  /// Name of the filter that draws text.
  package static let filter = "ass"
  /// Codecs of subtitles that are images.
  static let images = ["hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle"]

  /// Takes over the columns and rows that filters remove from frames of this format.
  ///
  /// Only those of the filter `crop` are known, and only if no other filter changes the size.
  mutating func crop(by filters: TrackFilters, of format: PixelFormat) {
    var (left, top, width, height) = (0, 0, self.width, self.height)
    for filter in filters.filters where filter.factory.description.name == Cropping.filter {
      guard let area = CropArea(filter.options, width: width, height: height, format: format)
      else { return }
      left += area.x
      top += area.y
      (width, height) = (area.width, area.height)
    }
    guard (width, height) == (filters.output.width, filters.output.height) else { return }
    (self.left, self.right) = (left, self.width - left - width)
    (self.top, self.bottom) = (top, self.height - top - height)
  }
}

extension AvailablePlugins {
  /// The filter that draws text into frames; `nil` if no plugin has it.
  var subtitleFilter: Factory? {
    filters(of: .video).factory(
      named: BurntSubtitles.filter, by: \.description, plugin: \.plugin)
  }

  /// Returns the filter or the decoder that makes images of a subtitle track; `nil` if there is none.
  func subtitleRenderer(of track: TrackDescription) -> Factory? {
    if track.isReadableText { return subtitleFilter }
    guard BurntSubtitles.images.contains(track.codec) else { return nil }
    return decoders(for: track.codec).first { $0.description.codecs.contains(track.codec) }
  }
}
