extension DocumentedRules {
  /// Rules for CMTime and CMTimeRange.
  static let time: [DocumentedRule] = [
    DocumentedRule("Flags are the documented bits", "TimeRules", "flagsAreTheDocumentedBits"),
    DocumentedRule(
      "A time is numeric where it is valid and neither infinite nor indefinite",
      "MediaTimeComparisonTests", "whetherATimeIsANumberIsInItsFlags"),
    DocumentedRule(
      "Adding keeps equal timescales", "MediaTimeArithmeticTests", "equalTimescalesAreKept"),
    DocumentedRule(
      "Adding takes the least common multiple of different timescales",
      "MediaTimeArithmeticTests", "differentTimescalesMeetInTheLeastCommonMultiple"),
    DocumentedRule(
      "A multiple beyond 0x7fffffff becomes that, with default rounding, which stays with the time",
      "MediaTimeArithmeticTests", "aCommonTimescaleBeyond32BitsIsTheGreatestAndRounds"),
    DocumentedRule(
      "A value that overflows halves the timescale, and at 1 becomes infinite",
      "MediaTimeArithmeticTests", "overflowHalvesTheTimescaleAndThenIsInfinite"),
    DocumentedRule(
      "Invalid wins over infinite, infinite over indefinite; opposite infinities make invalid",
      "MediaTimeArithmeticTests", "specialValuesWinInTheirOrder"),
    DocumentedRule(
      "Epochs that differ and are not 0 make invalid; equal ones make epoch 0",
      "MediaTimeArithmeticTests", "epochsAddAsDocumented"),
    DocumentedRule(
      "Times are ordered: minus infinity, numbers, indefinite, plus infinity, invalid",
      "MediaTimeComparisonTests", "kindsStandInTheirOrder"),
    DocumentedRule(
      "The epoch is compared before the value", "MediaTimeComparisonTests",
      "greaterEpochsComeLater"),
    DocumentedRule(
      "What compares equal hashes equal", "MediaTimeComparisonTests", "equalTimesHashAlike"),
    DocumentedRule(
      "Multiplying by an integer keeps the timescale", "MediaTimeArithmeticTests",
      "multiplyingByAWholeNumberKeepsTheTimescale"),
    DocumentedRule(
      "Multiplying by a number first doubles the timescale until it is 65536 or more",
      "MediaTimeArithmeticTests", "multiplyingByANumberRefinesTheTimescaleFirst"),
    DocumentedRule(
      "Multiplying by a ratio is exact unless it overflows", "MediaTimeArithmeticTests",
      "multiplyingByARatioIsExactWhereItCanBe"),
    DocumentedRule(
      "Seconds become the nearest unit, and the time says whether other seconds come back from it",
      "MediaTimeConversionTests", "secondsBecomeTheNearestUnit"),
    DocumentedRule(
      "A preferred timescale that is not positive makes invalid, one that is too large is halved",
      "MediaTimeConversionTests", "secondsBeyondTheValueHalveTheTimescale"),
    DocumentedRule(
      "The seconds of an invalid or indefinite time are NaN", "MediaTimeConversionTests",
      "secondsOfWhatIsNoNumber"),
    DocumentedRule(
      "Each rounding method rounds its way", "MediaTimeConversionTests", "eachMethodRoundsItsWay"),
    DocumentedRule(
      "Rounding methods are numbered from 1, and half away from zero is the default", "TimeRules",
      "roundingMethodsHaveTheirNumbers"),
    DocumentedRule(
      "QuickTime's rounding goes away from zero into a greater timescale",
      "MediaTimeConversionTests", "quickTimeRoundsAwayIntoAGreaterTimescale"),
    DocumentedRule(
      "Folding into an empty range makes invalid", "TimeRangeTests", "foldingAddsWholeDurations"),
    DocumentedRule(
      "Clamping to an empty range makes invalid", "TimeRangeTests", "clampingStopsAtTheEdges"),
    DocumentedRule(
      "A time inside of a range is clamped to itself, also where the range has no end",
      "TimeRangeTests", "clampingToARangeWithoutAnEndStopsAtItsStart"),
    DocumentedRule(
      "Mapping from an empty range or another epoch makes invalid", "TimeRangeTests",
      "mappingScalesAndMoves"),
    DocumentedRule(
      "A range is valid where start and duration are and the duration is not negative, epoch 0",
      "TimeRangeTests", "validityNeedsADurationThatIsNotNegative"),
    DocumentedRule("A range's end is not in it", "TimeRangeTests", "theEndIsNotInTheRange"),
    DocumentedRule(
      "The intersection of ranges that do not meet is the zero range", "TimeRangeTests",
      "unionSpansAndIntersectionShares"),
    DocumentedRule(
      "Union, intersection and containment are within one epoch", "TimeRules",
      "rangesOfDifferentEpochsHaveNothingInCommon"),
    DocumentedRule(
      "Folding, clamping and mapping make a time of another epoch invalid", "TimeRules",
      "aTimeOfAnotherEpochIsNeitherFoldedNorClampedNorMapped"),
    DocumentedRule(
      "Mapping a duration from an empty range makes invalid", "TimeRules",
      "nothingIsFoldedIntoOrMappedFromAnEmptyRange"),
  ]
}
