extension DocumentedRules {
  /// Rules for sample buffers.
  static let samples: [DocumentedRule] = [
    DocumentedRule(
      "One timing stands for samples of the same duration in the order in which they are shown",
      "SeveralSamples", "one time and one size stand for all samples"),
    DocumentedRule(
      "There are no timings, one, or one for each sample, and as many sizes", "SeveralSamples",
      "other numbers of times and sizes than samples are refused"),
    DocumentedRule(
      "A buffer is shown when the earliest of its samples is, for the sum of their durations",
      "SeveralSamples", "a buffer begins with its earliest sample and lasts as long as all"),
    DocumentedRule(
      "Each sample of a buffer has attachments of its own", "SeveralSamples",
      "something else can be said about each sample"),
    DocumentedRule(
      "The samples of a buffer come as buffers of their own that share its data", "SeveralSamples",
      "each sample comes in a buffer of its own, with the same bytes"),
    DocumentedRule(
      "An input writes all samples of a buffer", "SeveralSamples",
      "samples packed ten to a buffer pass as they do one by one"),
  ]
}
