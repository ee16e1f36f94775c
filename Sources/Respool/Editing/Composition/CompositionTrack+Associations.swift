extension CompositionTrack {
  /// That the track refers to another of its composition.
  struct Association: Hashable {
    var type: TrackAssociationType
    var trackID: Int64
  }

  var associations: [Association] { state.withLock { $0.associations } }
}

extension MutableCompositionTrack {
  /// Says that this track refers to another of the same composition; a file that is exported says so where its
  /// container can and both tracks are in it.
  ///
  /// No effect where it refers to it in that way already, where the two are not tracks of one composition, and
  /// where their kinds do not suit the association, as
  /// ``AssetWriterInput/canAddTrackAssociation(withTrackOf:type:)`` tells of inputs.
  public func addTrackAssociation(to track: CompositionTrack, type: TrackAssociationType) {
    let tracks = (asset as? Composition)?.compositionTracks ?? []
    guard track !== self, tracks.contains(where: { $0 === self }),
      tracks.contains(where: { $0 === track }), type.suits(mediaType, track.mediaType)
    else { return }
    let association = Association(type: type, trackID: track.trackID)
    state.withLock {
      if !$0.associations.contains(association) { $0.associations.append(association) }
    }
  }

  /// This track refers to another in that way no more.
  public func removeTrackAssociation(to track: CompositionTrack, type: TrackAssociationType) {
    let association = Association(type: type, trackID: track.trackID)
    state.withLock { $0.associations.removeAll { $0 == association } }
  }

  /// Forgets a track that is no more.
  func removeTrackAssociations(toTrackID trackID: Int64) {
    state.withLock { $0.associations.removeAll { $0.trackID == trackID } }
  }
}
