import RespoolMedia

extension AssetWriterInput {
  struct Association {
    // The other may hold this one in return.
    weak var input: AssetWriterInput?
    var type: TrackAssociationType
  }

  /// Whether the kinds of the two tracks suit the association.
  ///
  /// Whether the container can say it is the writer's matter: one that cannot leaves it out.
  public func canAddTrackAssociation(
    withTrackOf input: AssetWriterInput, type: TrackAssociationType
  ) -> Bool {
    input !== self && type.suits(mediaType, input.mediaType)
  }

  /// Says that this track refers to another; where `canAddTrackAssociation` is false, nothing.
  public func addTrackAssociation(
    withTrackOf input: AssetWriterInput, type: TrackAssociationType
  ) {
    guard canAddTrackAssociation(withTrackOf: input, type: type) else { return }
    let associations = configured(\.associations)
    configure(\.associations, associations + [Association(input: input, type: type)])
  }
}
