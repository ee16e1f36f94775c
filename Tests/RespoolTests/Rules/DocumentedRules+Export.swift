extension DocumentedRules {
  /// Rules for export sessions.
  static let export: [DocumentedRule] = [
    DocumentedRule(
      "A filter for metadata holds for what is transferred from the source", "MetadataWriting",
      "an export copies, replaces or filters metadata"),
    DocumentedRule(
      "An export gets its path and its file type in one call", "ExportSettingsTests",
      "an export may be told its file type with its path"),
    DocumentedRule(
      "A filter for metadata holds for tracks of timed metadata", "TimedMetadataExport",
      "a filter that does not let a key through leaves its track out"),
    DocumentedRule(
      "The session's time pitch algorithm is spectral unless set, and holds where the audio mix has none",
      "AudioMixTests",
      "an export has the pitch of the mix, else of the session"),
    DocumentedRule(
      "A filter is not applied to metadata that is set", "EditedExportTests",
      "tags are those that were asked for"),
    DocumentedRule(
      "The states of sessions, readers and writers have the documented numbers",
      "OutputSettingsTests", "states and media types have the documented values"),
    DocumentedRule(
      "There is no session for a preset that is not known", "OutputSettingsTests",
      "export presets by name make what they say"),
    DocumentedRule(
      "The presets compatible with an asset are among all presets", "ExportSettingsTests",
      "the presets that are told for an asset are compatible with it"),
    DocumentedRule(
      "Compatibility is of a preset, an asset and a file type together; no file type means any",
      "ExportSettingsTests",
      "a preset, an asset and a file type go together or not"),
    DocumentedRule(
      "The supported file types are those of the preset that can take the asset",
      "ExportSettingsTests",
      "file types are those that take every track"),
    DocumentedRule(
      "A file type that is not supported is an error", "ExportSettingsTests",
      "a file type that the preset is not written as is an error"),
    DocumentedRule(
      "The states are pending, waiting, exporting, and end with the export", "ExportRulesTests",
      "states go from pending to the end, and progress only grows"),
    DocumentedRule(
      "An export to the session's own path calls its handler at the end, and the status tells how it went",
      "ExportHandlerTests", "the handler is called when the file is there"),
    DocumentedRule(
      "An export that is waited for without a path does not throw: status and error tell",
      "ExportHandlerTests", "a task is told by the status what became of it"),
    DocumentedRule(
      "A session exports once", "ExportRulesTests",
      "a session exports once"),
    DocumentedRule(
      "Exporting fails where the file exists", "ExportRulesTests",
      "an output that is there is an error and is left alone"),
    DocumentedRule(
      "Cancelling the task cancels the export", "ExportRulesTests",
      "cancelling the task cancels the export and leaves nothing"),
    DocumentedRule(
      "The file is not longer than the file length limit", "ExportRulesTests",
      "a limited file is as long as it may be, within 2 percent"),
    DocumentedRule(
      "The estimated length follows from bit rates and duration", "ExportRulesTests",
      "bit rates tell about how long the file will be"),
    DocumentedRule(
      "A length is estimated for every preset", "ExportRulesTests",
      "where a quality is asked for, the length is guessed"),
    DocumentedRule(
      "The maximum duration follows from the file length limit", "ExportSettingsTests",
      "how long a file may last follows from its limit and its bit rates"),
    DocumentedRule(
      "The time range is what is exported", "EditedExportTests",
      "a part of a file is in step"),
    DocumentedRule(
      "Metadata is copied unless set, and goes through the filter", "MetadataWriting",
      "an export copies, replaces or filters metadata"),
    DocumentedRule(
      "The filter for sharing takes away what identifies people", "MetadataItems",
      "what may identify somebody is not shared"),
    DocumentedRule(
      "Alternate tracks are preserved by passing through where that is asked for",
      "ExportSettingsTests",
      "alternate tracks are preserved as they are where that is asked for"),
    DocumentedRule(
      "Handling of track groups conflicts with an audio mix", "ExportSettingsTests",
      "a mix and preserved alternates exclude each other"),
    DocumentedRule(
      "What a player needs first is in front where a session is asked for it",
      "ExportSettingsTests",
      "what a player needs first stands where it was asked for"),
    DocumentedRule(
      "An audio mix is heard in what is exported", "EditedExportTests",
      "a mix is heard and the picture stays"),
    DocumentedRule(
      "A video composition is seen in what is exported", "EditedExportTests",
      "composed pictures are what the composition says"),
    DocumentedRule(
      "An audio mix and a video composition are ignored by the pass-through preset",
      "ExportSettingsTests", "what is passed through is neither mixed nor composed"),
    DocumentedRule(
      "A resumable export goes on from partial results of an earlier one that was configured as it is",
      "ResumableExportTests",
      "an export that was interrupted twice is the same, byte by byte"),
    DocumentedRule(
      "Whether an export is resumable is told with its reason, and it can be made all the same",
      "ResumableExportTests", "what cannot be resumed says why, and is exported all the same"),
    DocumentedRule(
      "A session's time range is zero to positive infinity unless it is set", "ExportRulesTests",
      "everything is exported unless a range is set"),
  ]
}
