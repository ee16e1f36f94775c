extension DocumentedRules {
  /// Rules for assets, their tracks, and sample cursors.
  static let assets: [DocumentedRule] = [
    DocumentedRule(
      "An asset is readable where media can be had from it by a reader", "AssetAbilities",
      "without a decoder it can be copied and composed, and nothing else"),
    DocumentedRule(
      "An asset that is asked to prefer precise durations and timing provides them", "SeekingTests",
      "durations are measured where that is asked for"),
    DocumentedRule(
      "An asset that is encrypted has protected content", "AssetAbilities",
      "an encrypted movie has tracks, and nothing can be done with them"),
    DocumentedRule(
      "An unused track identifier is one that no track has", "AssetAbilities",
      "an unused number is one that no track has"),
    DocumentedRule(
      "Fragments may extend an asset before they do", "AssetAbilities",
      "a movie says whether fragments extend it"),
    DocumentedRule(
      "The status of a property tells the value or the error once it has been loaded",
      "PropertyLoading", "the status tells what has been loaded"),
    DocumentedRule(
      "The estimated data rate of a track is in bits a second", "TrackFacts",
      "the data rate is what the samples take, whether the file tells it or not"),
    DocumentedRule(
      "Several properties are loaded by one call", "PropertyLoading",
      "several properties come at once"),
    DocumentedRule(
      "The sample presentation time is the track time mapped by its segment", "TrackFacts",
      "the time in the media follows the edits"),
    DocumentedRule(
      "Associated tracks are those that the track refers to in that way", "TrackFacts",
      "tracks tell which others they refer to"),
    DocumentedRule(
      "A cursor stands at the last sample at or before its time, else at the first that is shown",
      "SampleCursors", "a cursor stands at the last sample at or before its time"),
    DocumentedRule(
      "Stepping by a count stops at the ends and tells how far it went", "SampleCursors",
      "steps in the order of showing go through all pictures and stop at the ends"),
    DocumentedRule(
      "Stepping by a time snaps to samples and tells whether it was pinned", "SampleCursors",
      "steps by a time snap to samples and say whether an end was in the way"),
    DocumentedRule(
      "A request without a direction is for one sample, whatever its limits", "SampleGenerating",
      "a request ends at its limit, or after what is wanted"),
    DocumentedRule(
      "A request's limit is the last sample that may be made", "SampleGenerating",
      "a request ends at its limit, or after what is wanted"),
    DocumentedRule(
      "Sample references have no data and tell the file and the byte offset", "SampleReferences",
      "samples without data tell where their bytes are"),
  ]
}
