import RespoolMedia

extension AssetWriterInput {
  struct Association {
    // Weak, because the other input may refer to this one.
    weak var input: AssetWriterInput?
    var type: TrackAssociationType
  }

  /// `true` if the association is valid between the media types of the two tracks.
  ///
  /// A container that cannot store the association leaves it out.
  public func canAddTrackAssociation(
    withTrackOf input: AssetWriterInput, type: TrackAssociationType
  ) -> Bool {
    input !== self && type.suits(mediaType, input.mediaType)
  }

  /// Adds a reference from this track to another; does nothing if `canAddTrackAssociation` is `false`.
  public func addTrackAssociation(
    withTrackOf input: AssetWriterInput, type: TrackAssociationType
  ) {
    guard canAddTrackAssociation(withTrackOf: input, type: type) else { return }
    let associations = configured(\.associations)
    configure(\.associations, associations + [Association(input: input, type: type)])
  }
}
