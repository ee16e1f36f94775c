extension DocumentedRules {
  /// Of compositions.
  static let editing: [DocumentedRule] = [
    DocumentedRule(
      "A track whose preferred number is taken or invalid gets another", "EditingRules",
      "A track gets the number that is asked for, or one of its own"),
    DocumentedRule(
      "A track's time range is what is put in to have all of it", "EditingRules",
      "The whole time range of a track can be put in"),
    DocumentedRule(
      "Tracks can be removed", "EditingRules",
      "A track that is removed is in the composition no more"),
    DocumentedRule(
      "A compatible track takes pieces of the other without harm", "EditingRules",
      "A compatible track is one into which pieces of the other can be put"),
    DocumentedRule(
      "The pass-through preset exports a composition without encoding", "JoinedExportTests",
      "pieces are joined as they are stored and stay in step"),
  ]
}
