public import RespoolMedia

extension AssetTrack {
  /// The ways in which the track refers to others of its asset, in the order of the file.
  ///
  /// None where the container or its plugin does not tell.
  public var availableTrackAssociationTypes: [TrackAssociationType] {
    var types: [TrackAssociationType] = []
    for reference in references where !types.contains(reference.type) {
      types.append(reference.type)
    }
    return types
  }

  /// The tracks that this one refers to in that way, in the order of the file.
  ///
  /// Numbers that no track has are passed over.
  public func associatedTracks(ofType type: TrackAssociationType) -> [AssetTrack] {
    references.filter { $0.type == type }.compactMap { reference -> AssetTrack? in
      // A track is there only where the file could be opened.
      do throws(MediaError) { return try asset?.track(withTrackID: reference.trackID) } catch {
        return nil
      }
    }
  }

  /// As the method that does not wait, by the name that code for AVFoundation has.
  public func loadAssociatedTracks(ofType type: TrackAssociationType) async throws(MediaError)
    -> [AssetTrack]
  {
    associatedTracks(ofType: type)
  }
}
