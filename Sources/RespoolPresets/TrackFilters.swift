public import RespoolMedia

/// The filters that decoded frames of one track pass, and the frames that come out.
public struct TrackFilters: Hashable, Sendable {
  /// A filter with its options.
  public struct Filter: Hashable, Sendable {
    public var factory: AvailablePlugins.Factory
    public var options: [PluginOption]
  }

  /// Filters in order; at least one.
  public var filters: [Filter]
  /// The track with the frames that come out, as the filters describe it.
  public var output: TrackDescription

  /// `true` if the number or the times of frames change.
  package var changesTimes: Bool {
    filters.contains { $0.factory.description.flags.contains(.changesTimes) }
  }
}
