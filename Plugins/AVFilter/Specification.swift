import CAVFilter
import RespoolPlugin

/// One filter of libavfilter, as this plugin offers it.
///
/// Options come from libavfilter; only those that take files, draw graphs or print to a log are left out.
struct Specification {
  /// Name in presets.
  var name: String
  /// Name in libavfilter; by default that in presets.
  var libavfilterName: String
  var longName: String
  var media: Frame.Kind
  var aliases: [String] = []
  var pixelFormats: [PixelFormat] = []
  var sampleFormats: [SampleFormat] = []
  var sampleRates: [Int] = []
  var flags: FactoryDescription.Flags = []
  /// Options of libavfilter that presets cannot set.
  var hidden: Set<String> = []
  /// `true` if presets can set no options.
  var hasNoOptions = false
  /// Options that are always set.
  var fixedOptions: [PluginOption] = []
  var rowMovement = RowMovement.none

  init(_ name: String, _ longName: String, video formats: [PixelFormat]) {
    (self.name, libavfilterName, self.longName, media) = (name, name, longName, .video)
    pixelFormats = formats
  }

  init(_ name: String, _ longName: String, audio formats: [SampleFormat]) {
    (self.name, libavfilterName, self.longName, media) = (name, name, longName, .audio)
    sampleFormats = formats
  }

  var description: FactoryDescription {
    var value = FactoryDescription(kind: .filter, name: name, longName: longName)
    value.filteredMedia = media
    value.aliases = aliases
    value.pixelFormats = pixelFormats
    value.sampleFormats = sampleFormats
    value.sampleRates = sampleRates
    value.flags = flags
    if !hasNoOptions {
      value.options = OptionSchema.options(ofFilter: libavfilterName, without: hidden)
    }
    return value
  }
}

extension Specification {
  /// Returns the specification after a change.
  func with(_ change: (inout Specification) -> Void) -> Specification {
    var value = self
    change(&value)
    return value
  }
}
