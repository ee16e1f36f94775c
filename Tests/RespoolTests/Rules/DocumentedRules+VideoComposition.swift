extension DocumentedRules {
  /// Rules for video compositions, for reading and exporting with them, and for frames in writers.
  static let pictures: [DocumentedRule] = [
    DocumentedRule(
      "A video composition is required before reading starts", "VideoCompositionExportTests",
      "a reader needs a video composition before it starts"),
    DocumentedRule(
      "The frame duration is the time between composed pictures", "VideoCompositionExportTests",
      "composed pictures lie at whole frame durations from where reading starts"),
    DocumentedRule(
      "The track that is the source of frame timing gives its times", "VideoCompositionExportTests",
      "a track that leads gives its times to what is read and to what is exported"),
    DocumentedRule(
      "In an empty edit of the source of frame timing pictures come at the frame duration",
      "VideoCompositionExportTests",
      "where the track that leads is empty the frame duration counts"),
    DocumentedRule(
      "A frame duration has to be valid and positive", "VideoCompositionExportTests",
      "a frame duration is needed, whether a track leads or not"),
    DocumentedRule(
      "Instructions leave no gap and do not overlap", "VideoCompositionExportTests",
      "a video composition that leaves a time open is refused by reader and export"),
    DocumentedRule(
      "Layers are of tracks that the asset has", "VideoCompositionExportTests",
      "a video composition of a track that is not there is refused by reader and export"),
    DocumentedRule(
      "Pictures have the colour of the video composition", "VideoCompositionExportTests",
      "an export has the colour of its video composition"),
    DocumentedRule(
      "Without a colour of the video composition that of the source is propagated",
      "VideoCompositionExportTests",
      "an export without a colour of its own has that of its source"),
    DocumentedRule(
      "Composed pictures come in the pixel format that is asked for", "CompositionFormatTests",
      "composed pictures come in any format that is asked for"),
    DocumentedRule(
      "The custom compositor in use can be asked for", "CompositionFormatTests",
      "the compositor that renders can be asked for, and is told what comes"),
    DocumentedRule(
      "A compositor that does not conform colours gets frames of the composition's colour",
      "CompositionFormatTests",
      "a compositor that does not conform colours gets frames that are"),
    DocumentedRule(
      "A compositor that takes no high dynamic range gets frames with the transfer of BT.709",
      "CustomCompositorTests",
      "frames of high dynamic range come to compositors that take them"),
    DocumentedRule(
      "A compositor gets the sample of timed metadata that holds at the time of the picture",
      "CompositorMetadataTests",
      "a compositor reads at every picture the metadata that holds then"),
    DocumentedRule(
      "A compositor gets metadata only of tracks that the video composition and the instruction name",
      "CompositorMetadataTests",
      "metadata has to be named by the composition and by the instruction"),
    DocumentedRule(
      "AVVideoScalingModeResize does not preserve the shape", "ScalingTests",
      "stretched pictures fill the size, be their shape what it may"),
    DocumentedRule(
      "AVVideoScalingModeResizeAspect preserves the shape and fills the rest with black",
      "ScalingTests", "pictures that keep their shape lie in the middle of black"),
    DocumentedRule(
      "AVVideoScalingModeResizeAspectFill preserves the shape and crops", "ScalingTests",
      "pictures that fill a size in their shape lose what lies outside"),
    DocumentedRule(
      "What is scaled is cropped to its clean aperture", "ScalingTests",
      "only the clean aperture of what is scaled is seen"),
    DocumentedRule(
      "A writer's input does not take AVVideoScalingModeFit", "ScalingTests",
      "a size that follows the source is not taken"),
    DocumentedRule(
      "Without width and height the size is that of the source", "ScalingTests",
      "without a size pictures keep theirs"),
    DocumentedRule(
      "Colour properties tag what is written, and pictures of other ones are converted",
      "ScalingTests",
      "pictures of another colour are converted to that of the settings, and tagged"),
    DocumentedRule(
      "A video composition with the properties of an asset, and those of a prototype instruction, can be waited for",
      "AwaitedEditingTests",
      "a task makes a video composition as code that blocks does"),
    DocumentedRule(
      "The first layer instruction is topmost", "CompositorBlendTests",
      "theFirstLayerLiesOnTop"),
    DocumentedRule(
      "Before the first ramp a layer is opaque, in its place and whole; after the last its end value holds",
      "LayerInstructionTests",
      "valuesHoldBeforeBetweenAndAfterRamps"),
    DocumentedRule(
      "A value that is set at a time holds from then, and before there is none",
      "LayerInstructionTests",
      "aValueSetAtATimeHoldsFromThen"),
    DocumentedRule(
      "Setting a value at a time is the same as setting a flat ramp until the next",
      "LayerInstructionTests", "aValueSetAtATimeIsAFlatRampToTheNext"),
    DocumentedRule(
      "A track that passes through is shown without a compositor", "CustomCompositorTests",
      "aTrackPassesThroughWithoutACompositor"),
    DocumentedRule(
      "Where no layer is the background is seen", "EditingGuide",
      "where nothing is shown there is the background"),
    DocumentedRule(
      "A video composition is checked against the tracks of an asset and how long it shows pictures",
      "VideoCompositionTests",
      "anAssetTellsItsTracksAndItsDuration"),
    DocumentedRule(
      "A delegate is told of gaps, overlaps, bad values and unknown tracks",
      "VideoCompositionTests",
      "unknownTracksAndBadValuesAreFound"),
  ]
}
