extension CompositionTrack {
  /// A reference of the track to another track of its composition.
  struct Association: Hashable {
    var type: TrackAssociationType
    var trackID: Int64
  }

  var associations: [Association] { state.withLock { $0.associations } }
}

extension MutableCompositionTrack {
  /// Associates this track with another track of the same composition.
  ///
  /// An exported file contains the association if its container supports it and both tracks are in the file.
  /// No effect if the association exists, if the two are not tracks of one composition, or if their media types
  /// do not suit the association. ``AssetWriterInput/canAddTrackAssociation(withTrackOf:type:)`` has the same
  /// rules for inputs.
  public func addTrackAssociation(to track: CompositionTrack, type: TrackAssociationType) {
    guard track !== self, let asset, asset.contains(self), asset.contains(track),
      type.suits(mediaType, track.mediaType)
    else { return }
    let association = Association(type: type, trackID: track.trackID)
    state.withLock {
      if !$0.associations.contains(association) { $0.associations.append(association) }
    }
  }

  /// Removes an association of this track with another.
  public func removeTrackAssociation(to track: CompositionTrack, type: TrackAssociationType) {
    let association = Association(type: type, trackID: track.trackID)
    state.withLock { $0.associations.removeAll { $0 == association } }
  }

  /// Removes all associations with a track that has been removed.
  func removeTrackAssociations(toTrackID trackID: Int64) {
    state.withLock { $0.associations.removeAll { $0.trackID == trackID } }
  }
}
