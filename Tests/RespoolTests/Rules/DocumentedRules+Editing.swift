extension DocumentedRules {
  /// Rules for compositions.
  static let editing: [DocumentedRule] = [
    DocumentedRule(
      "A track whose preferred number is taken or invalid gets another", "EditingRules",
      "A track gets the number that is asked for, or one of its own"),
    DocumentedRule(
      "A track's time range is what is put in to have all of it", "EditingRules",
      "The whole time range of a track can be put in"),
    DocumentedRule(
      "A task puts a range of an asset in without blocking", "AwaitedEditingTests",
      "a task puts in what code that blocks does"),
    DocumentedRule(
      "A track can be associated with another of the same composition, and that be taken back",
      "CompositionAssociationTests", "a track refers to another until that is taken back"),
    DocumentedRule(
      "A format of a track can be replaced, and that be cancelled", "FormatReplacementTests",
      "pictures are of the colour that is said, stored and decoded"),
    DocumentedRule(
      "A replacement of another media type is refused", "FormatReplacementTests",
      "a format of other samples is refused"),
    DocumentedRule(
      "Tracks can be removed", "EditingRules",
      "A track that is removed is in the composition no more"),
    DocumentedRule(
      "A compatible track takes pieces of the other without harm", "EditingRules",
      "A compatible track is one into which pieces of the other can be put"),
    DocumentedRule(
      "The pass-through preset exports a composition without encoding", "JoinedExportTests",
      "pieces are joined as they are stored and stay in step"),
    DocumentedRule(
      "Several time ranges are put in together or not at all, nothing for a track that is nil",
      "SegmentListTests",
      "several ranges are put in together or not at all"),
    DocumentedRule(
      "Segments have to follow each other from zero, which validateSegments checks",
      "SegmentListTests",
      "segments that do not follow each other are refused"),
    DocumentedRule(
      "An invalid time means the end", "SegmentListTests",
      "an invalid time means the end"),
    DocumentedRule(
      "A volume ramp is not asked for at a time that is not numeric", "AudioMixTests",
      "ramps are found as they were set"),
    DocumentedRule(
      "The segment for a time outside of a track is the closest", "EditingRules",
      "The segment for a time outside of a track is the closest"),
    DocumentedRule(
      "A track that all is taken out of stays", "SegmentListTests",
      "taking out pulls what is later"),
    DocumentedRule(
      "A track's natural time scale is that of its first piece, and 600 where it has none",
      "EditingRules",
      "A track's natural time scale is that of its first piece, and 600 where it has none"),
  ]
}
