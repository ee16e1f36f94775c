extension DocumentedRules {
  /// Rules for readers and their outputs.
  static let reading: [DocumentedRule] = [
    DocumentedRule(
      "Nil settings give the stored samples, in decoding order", "AssetReading",
      "stored samples come in decoding order with their bytes"),
    DocumentedRule(
      "Decoded pictures come in the order in which they are shown", "AssetReading",
      "pictures come as they are shown, in the format and size asked for"),
    DocumentedRule(
      "Pictures that are asked for as RGB have full range", "AssetReading",
      "RGB has full range, as FFmpeg's has"),
    DocumentedRule(
      "A nil sample is the end or a failure, which the status tells", "AssetReading",
      "a file that gets shorter while it is read fails with a reason"),
    DocumentedRule(
      "Sample data that is copied is the client's own and may be changed", "AssetReading",
      "pictures that are copied may be written to"),
    DocumentedRule(
      "An output takes tracks of the reader's asset only", "ReaderRules",
      "An output takes tracks of the reader's asset only"),
    DocumentedRule(
      "Outputs are added before reading starts", "AssetReading",
      "an output of another asset, of a track taken twice, or after the start is refused"),
    DocumentedRule(
      "A reader has completed when every output has given nil", "ReaderRules",
      "A reader has completed when every output has given nil"),
    DocumentedRule(
      "A cancelled reader gives nil and no error", "ReaderRules",
      "A cancelled reader gives nil and no error"),
    DocumentedRule(
      "The time range does not change once reading has started", "ReaderRules",
      "The time range does not change once reading has started"),
    DocumentedRule(
      "A time range cuts sound to the sample", "AssetReading",
      "a range of sound is cut to the sample"),
    DocumentedRule(
      "Stored samples of a time range begin where decoding can", "AssetReading",
      "stored samples of a range start where decoding can"),
    DocumentedRule(
      "Ranges are read again after nil, in growing order, until the configuration is final",
      "ReaderRules",
      "Ranges are read again after nil, in growing order, until the configuration is final"),
    DocumentedRule(
      "Ranges of a composition can be read anew as well", "CompositionReadingTests",
      "ranges can be read again where that was asked for"),
    DocumentedRule(
      "Without an audio mix every track is as loud as it is", "AudioMixTests",
      "tracks add up where they overlap"),
    DocumentedRule(
      "Volumes hold before and after their ramps, which are linear", "AudioMixTests",
      "volumes and ramps are what they say at every sample"),
    DocumentedRule(
      "An audio tap processor sees a track's samples before the effects of the mix",
      "AudioTapTests",
      "a tap sees every sample once, in its place and before its volume"),
    DocumentedRule(
      "A metadata adaptor gives the groups of a track, and nil at the end", "MetadataGuide",
      "where it was recorded is written into the movie and read back"),
    DocumentedRule(
      "A metadata adaptor is for a track of metadata", "MetadataGuide",
      "a reader's adaptor of another track fails the reader"),
    DocumentedRule(
      "Values whose key is not in the track's format cannot be reached", "TimedMetadataItems",
      "values of keys that the track does not have are left out"),
    DocumentedRule(
      "Chapters come in the first preferred language that they have, else in their own",
      "ChapterMetadata",
      "the first of the preferred languages counts, else that of the first chapter"),
    DocumentedRule(
      "A provider gives nil at the end and throws on failure and cancelling", "AwaitedGuide",
      "a provider tells the end, a failure and a start that is missing"),
    DocumentedRule(
      "A random access controller has a provider read other ranges until it is final",
      "ControllerGuide",
      "a controller has a provider read other ranges until the configuration is final"),
    DocumentedRule(
      "Providers and receivers may be used by tasks side by side", "AwaitedGuide",
      "providers and receivers make of a movie the same movie"),
    DocumentedRule(
      "A reader's time range is zero to positive infinity unless it is set", "ReaderRules",
      "Without settings everything is read, and sample data is copied"),
    DocumentedRule(
      "A reader's outputs are of tracks that its asset has", "ReaderRules",
      "A track that has been removed from its composition cannot be read"),
    DocumentedRule(
      "Sample data is copied unless that is turned off, before reading starts", "ReaderRules",
      "Whether sample data is copied does not change once reading has started"),
  ]
}
