extension DocumentedRules {
  /// Rules for writers, their inputs, input groups and adaptors.
  static let writing: [DocumentedRule] = [
    DocumentedRule(
      "A writer writes one file, once", "WriterRules",
      "A writer writes one file, once"),
    DocumentedRule(
      "Writing fails where the file exists", "WriterRules",
      "Writing fails where the file exists"),
    DocumentedRule(
      "The status goes from unknown to writing to completed", "WriterRules",
      "The status goes from unknown to writing to completed"),
    DocumentedRule(
      "Inputs are added before writing starts, and to one writer each", "WriterRules",
      "Inputs are added before writing starts, and to one writer each"),
    DocumentedRule(
      "A writer's settings do not change once it writes", "WriterRules",
      "A writer's settings do not change once it writes"),
    DocumentedRule(
      "What is not set has the documented default", "WriterRules",
      "What is not set has the documented default"),
    DocumentedRule(
      "An unfinished input is finished with the writer", "WriterRules",
      "An unfinished input is finished with the writer"),
    DocumentedRule(
      "Cancelling removes the file at once and ends the writer", "WriterRules",
      "Cancelling removes the file at once and ends the writer"),
    DocumentedRule(
      "Cancelling after completion leaves the file", "WriterRules",
      "Cancelling after completion leaves the file"),
    DocumentedRule(
      "Samples belong into a session", "WriterRules",
      "Samples belong into a session"),
    DocumentedRule(
      "A session starts after writing has and before the first sample, and there is one",
      "WritingSessions",
      "a call in the wrong state fails the writer and leaves no file"),
    DocumentedRule(
      "A sample of the session's start is shown at zero, and earlier ones are not", "AssetWriting",
      "a sample at the session's start is shown at zero, earlier ones are hidden"),
    DocumentedRule(
      "A sample of time T is shown at T less the session's start", "WritingSessions",
      "a session in the middle of the source is written from zero"),
    DocumentedRule(
      "A track that begins later than the session has an empty edit first", "WritingSessions",
      "a track that comes later than the start begins with an empty edit"),
    DocumentedRule(
      "What lies behind the session's end is not shown", "WritingSessions",
      "what lies behind the session's end is written and not shown"),
    DocumentedRule(
      "The last picture is shown until a session's end that is later", "WritingSessions",
      "the last picture is shown until a session's end that is later"),
    DocumentedRule(
      "What a player needs first is in front where the network asks for it", "WriterConfiguration",
      "the movie box stands first where the network asks for it"),
    DocumentedRule(
      "A file in fragments can be played up to the last one that was written", "FragmentedMovies",
      "a file whose writer died plays up to its last fragment"),
    DocumentedRule(
      "The directory for temporary files exists when writing starts", "WriterConfiguration",
      "the directory for temporary files has to be there and stays empty"),
    DocumentedRule(
      "Chunks begin at multiples of the preferred alignment", "ChunkAlignments",
      "chunks begin where asked for, wherever the movie box is"),
    DocumentedRule(
      "A chunk alignment of 1 fills nothing up, and a negative one is none", "ChunkAlignments",
      "without an alignment, and with one of 1, nothing is filled up"),
    DocumentedRule(
      "Sample references make a movie that has none of their media", "ReferenceMovies",
      "a movie without media shows that of other files"),
    DocumentedRule(
      "Sample locations are written relative to the base where there is one", "ReferenceMovies",
      "references from a folder move with it"),
    DocumentedRule(
      "The base contains all files that sample references refer to", "ReferenceMovies",
      "what lies outside of the folder is refused"),
    DocumentedRule(
      "Sample references are for QuickTime movies", "ReferenceMovies",
      "only QuickTime movies refer, in one piece"),
    DocumentedRule(
      "The base of sample references is nil, and stays once writing has begun", "ReferenceMovies",
      "the folder is nil unless set, and stays once writing has begun"),
    DocumentedRule(
      "Whether settings can be applied depends on the file type", "WriterConfiguration",
      "settings are checked against the container"),
    DocumentedRule(
      "The completion handler is called however writing ended", "WriterConfiguration",
      "finishing is told to a completion handler, whatever came of it"),
    DocumentedRule(
      "An input is ready only within the session", "WriterInputRules",
      "An input is ready only within the session"),
    DocumentedRule(
      "An input that nobody has added takes nothing", "WriterInputRules",
      "An input that nobody has added takes nothing"),
    DocumentedRule(
      "Marking as finished twice is marking once", "WriterInputRules",
      "Marking as finished twice is marking once"),
    DocumentedRule(
      "Pass-through needs a format hint that the container carries", "WriterInputRules",
      "Pass-through needs a format hint that the container carries"),
    DocumentedRule(
      "Pass-through into QuickTime needs no format hint", "WriterInputRules",
      "Into a QuickTime movie samples pass through without a format hint"),
    DocumentedRule(
      "A media time scale is not for sound", "WriterInputRules",
      "A media time scale is not for sound"),
    DocumentedRule(
      "Media data is requested once for an input", "WriterInputRules",
      "Media data is requested once for an input"),
    DocumentedRule(
      "The block that brings samples runs on its queue, until the input is finished",
      "WriterInputRules",
      "The block that brings samples runs on its queue, until the input is finished"),
    DocumentedRule(
      "The block is called again whenever the input has become ready again", "MediaDataRequests",
      "an input that takes one sample at a time is asked again and again"),
    DocumentedRule(
      "The block is released when its input has ended", "MediaDataRequests",
      "the block is released when the input has ended"),
    DocumentedRule(
      "An input of a live source is ready at any time", "MediaDataRequests",
      "a live source is not asked to wait"),
    DocumentedRule(
      "Passes are told until none is left", "TwoPasses",
      "samples are asked for twice and written once"),
    DocumentedRule(
      "Where an encoder makes one pass, no second is announced", "WriterInputRules",
      "Where an encoder makes one pass, no second is announced"),
    DocumentedRule(
      "The default input of a group is enabled and the others are not", "WriterInputRules",
      "The default input of a group is enabled and the others are not"),
    DocumentedRule(
      "An adaptor lends pictures while its writer writes, where it was given attributes",
      "WriterInputRules",
      "An adaptor lends pictures while its writer writes, where it was given attributes"),
    DocumentedRule(
      "Metadata is written by the file type's own keys", "MetadataWriting",
      "a title of any key space is written as the container's own"),
    DocumentedRule(
      "An input of metadata needs a format hint that names the keys", "MetadataInputs",
      "an input of metadata is added where the container carries it"),
    DocumentedRule(
      "An item that the format hint does not have is an error", "MetadataInputs",
      "an item that the format hint does not have fails the writer"),
    DocumentedRule(
      "A group's identifiers, data types and languages make the hint for it", "TimedMetadataItems",
      "a group tells the format of a track that takes it"),
    DocumentedRule(
      "A group without a duration lasts until the next one", "MetadataInputs",
      "a group without a duration holds until the next one, which may be empty"),
    DocumentedRule(
      "The last group without a duration lasts until the session's end", "MetadataInputs",
      "the last group without a duration holds until the session ends"),
    DocumentedRule(
      "Groups are written at their times less the session's start", "MetadataInputs",
      "times follow the session"),
    DocumentedRule(
      "A metadata receiver appends groups as the sample receiver does samples", "MetadataInputs",
      "a task appends groups and another takes them"),
    DocumentedRule(
      "A receiver's append waits until the input is ready", "AwaitedGuide",
      "a receiver waits for the others, and is told when writing ends"),
    DocumentedRule(
      "A task that waits to append is let go when writing or the task is cancelled", "AwaitedGuide",
      "who waits is let go by cancelling"),
    DocumentedRule(
      "A picture receiver's pool is there once writing has begun", "AwaitedGuide",
      "a picture receiver lends pictures and writes them"),
    DocumentedRule(
      "A segment begins at a multiple of the preferred interval, with a sync sample", "Segments",
      "each begins with a key picture at a multiple of the interval"),
    DocumentedRule(
      "With an indefinite interval a segment ends where it is flushed", "Segments",
      "they end on request where the interval is indefinite"),
    DocumentedRule(
      "The HLS profile has no edit lists, and samples keep their times", "Segments",
      "for live streaming samples keep their times and there is no edit list"),
    DocumentedRule(
      "The CMAF profile is for one track", "Segments",
      "a file of CMAF has one track"),
    DocumentedRule(
      "Combinable fragments of several writers make one movie", "CombinableSegments",
      "halves of two writers are what one writes of the whole"),
    DocumentedRule(
      "Fragments are not combinable unless that is set before writing starts", "CombinableSegments",
      "it has to be asked for, and before writing"),
    DocumentedRule(
      "A numeric interval needs the first segment's start time", "Segments",
      "what is missing or wrong is said when writing starts"),
    DocumentedRule(
      "A session's end holds in a movie of fragments", "FragmentedMovies",
      "a session's end holds in fragments"),
    DocumentedRule(
      "The first fragment has an interval of its own", "FragmentedMovies",
      "the first fragment can come earlier"),
    DocumentedRule(
      "A last picture without a duration lasts as long as the one before it", "WriterInputRules",
      "The last picture lasts as long as the one before it where it does not say"),
    DocumentedRule(
      "Samples of an input come in the order of their times", "WriterInputRules",
      "Samples that go back in time fail the writer"),
    DocumentedRule(
      "The first fragment's number and a hint of the duration are written where they are set",
      "FragmentedMovies",
      "the first fragment's number and the duration to be expected can be told"),
    DocumentedRule(
      "A multi-pass controller tells the passes, and none where there is one pass only",
      "ControllerGuide", "where the encoder makes do with one pass none is told"),
    DocumentedRule(
      "Receivers of metadata and captions come with a multi-pass controller too", "ControllerGuide",
      "metadata and captions are appended once, whoever asks for passes"),
    DocumentedRule(
      "Each pass of a multi-pass controller tells which ranges are to be appended",
      "ControllerGuide", "passes are read and written anew"),
    DocumentedRule(
      "startWriting is false where the file cannot be created, and error tells why", "WriterRules",
      "Writing fails where the file cannot be created"),
    DocumentedRule(
      "start throws where startWriting is false", "WriterRules",
      "Starting twice is an error that leaves the writer writing"),
    DocumentedRule(
      "Media and settings that the file type does not take cannot be added", "WriterInputRules",
      "Media and settings that the file type does not take cannot be added"),
    DocumentedRule(
      "A receiver's appendImmediately does not wait: it is false where the input is not ready",
      "AwaitedGuide",
      "what is appended immediately is taken or not, without waiting"),
    DocumentedRule(
      "Passes are responded to once for an input", "WriterInputRules",
      "Passes are responded to once for an input"),
    DocumentedRule(
      "Media data is requested anew for each pass: the end of one cancels the request",
      "MediaDataRequests",
      "with one pass the passes are told and end"),
  ]
}
