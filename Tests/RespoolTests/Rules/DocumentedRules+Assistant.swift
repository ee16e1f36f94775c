extension DocumentedRules {
  /// Rules for the output settings assistant.
  static let assistant: [DocumentedRule] = [
    DocumentedRule(
      "There is no assistant for a preset that is not available", "OutputSettingsTests",
      "presets without an encoder are absent and say why"),
    DocumentedRule(
      "Pictures are not larger than their source or the preset's size", "OutputSettingsTests",
      "pictures fit and are never larger than the source"),
    DocumentedRule(
      "The average frame duration is 1/30 s unless set, the minimum is the average unless set",
      "OutputSettingsTests",
      "durations have their defaults"),
    DocumentedRule(
      "A writer takes the settings as they are", "OutputSettingsTests",
      "the writer accepts the settings as they are"),
    DocumentedRule(
      "The settings suit the greatest rate of pictures that the source has", "OutputSettingsTests",
      "the shortest picture decides about the level"),
    DocumentedRule(
      "The settings for sound follow the source's format", "OutputSettingsTests",
      "sound follows the source's rate and channels"),
  ]
}
