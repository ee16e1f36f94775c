extension DocumentedRules {
  /// Rules for captions, caption groups, adaptors, providers and receivers.
  static let captions: [DocumentedRule] = [
    DocumentedRule(
      "Caption groups follow each other without a gap, and one begins wherever a caption appears or goes",
      "CaptionReadingTests",
      "groups are without gaps, and one begins wherever a caption appears or goes"),
    DocumentedRule(
      "A caption that spans several groups is equal in all of them",
      "CaptionReadingTests",
      "groups are without gaps, and one begins wherever a caption appears or goes"),
    DocumentedRule(
      "A group without captions stands for a time in which none is shown",
      "CaptionTests",
      "groups follow each other, and each has what is shown all through it"),
    DocumentedRule(
      "The captions that no group before had are those that begin with their group",
      "CaptionReadingTests",
      "of each group those captions are new that begin with it"),
    DocumentedRule(
      "A grouper gives the groups that end at or before a time",
      "CaptionTests",
      "groups follow each other, and each has what is shown all through it"),
    DocumentedRule(
      "The validation delegate hears of each caption what was skipped of its source",
      "CaptionReadingTests",
      "the delegate hears what is skipped"),
    DocumentedRule(
      "A style is told with the range around a place that has the same",
      "CaptionTests",
      "a style holds in its range, and a place tells style and range"),
    DocumentedRule(
      "Captions are appended in the order of their starts, with numeric time ranges",
      "CaptionWritingTests",
      "captions in a wrong order fail the writer"),
    DocumentedRule(
      "A caption group begins at or after the end of what was appended before",
      "CaptionWritingTests",
      "captions in a wrong order fail the writer"),
    DocumentedRule(
      "A caption group whose duration is invalid lasts until the next one",
      "CaptionWritingTests",
      "a group without a duration lasts until the next one"),
    DocumentedRule(
      "A caption adaptor needs an input for text",
      "CaptionWritingTests",
      "captions need an input for text"),
    DocumentedRule(
      "A caption receiver appends when the input is ready and throws when the writer fails",
      "CaptionWritingTests",
      "a receiver takes captions and groups from a task"),
  ]
}
