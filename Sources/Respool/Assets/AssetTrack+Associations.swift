public import RespoolMedia

extension AssetTrack {
  /// The ways in which the track refers to other tracks of its asset, in file order.
  ///
  /// Empty if the container or its plugin does not report them.
  public var availableTrackAssociationTypes: [TrackAssociationType] {
    var types: [TrackAssociationType] = []
    for reference in references where !types.contains(reference.type) {
      types.append(reference.type)
    }
    return types
  }

  /// Returns the tracks that this track refers to in the given way, in file order.
  ///
  /// References to track numbers that do not exist are ignored.
  public func associatedTracks(ofType type: TrackAssociationType) -> [AssetTrack] {
    references.filter { $0.type == type }.compactMap { reference -> AssetTrack? in
      // A track exists only if its file could be opened.
      do throws(MediaError) { return try asset?.track(withTrackID: reference.trackID) } catch {
        return nil
      }
    }
  }

  /// Returns the result of `associatedTracks(ofType:)`; AVFoundation's name for it.
  public func loadAssociatedTracks(ofType type: TrackAssociationType) async throws(MediaError)
    -> [AssetTrack]
  {
    associatedTracks(ofType: type)
  }
}
