public import RespoolMedia

// These methods block if the file or a plugin has to be opened. For a file that cannot be read they return `false`.
extension Asset {
  /// Returns `true` if a reader can decode the asset: at least one video or audio track has a decoder.
  public func isReadable() -> Bool { hasTrack { $0.isDecodable() } }

  /// Returns `true` if at least one track can be played with the available decoders.
  public func isPlayable() -> Bool { hasTrack { $0.isPlayable() } }

  /// Returns `true` if an export session can export the asset.
  ///
  /// At least one video or audio track can be decoded and encoded, or can be copied into another file as it is.
  public func isExportable() -> Bool { hasTrack { $0.isExportable() } }

  /// Returns `true` if the asset has a track that can be inserted into a composition track.
  public func isComposable() -> Bool {
    hasTrack { track in
      let description = track.description
      return [.video, .audio, .subtitle].contains(description.kind) && !description.isProtected
        && !description.disposition.contains(.attachedPicture)
    }
  }

  /// Returns `true` if the file's sample entries mark a track as encrypted (ISO/IEC 14496-12 8.12).
  ///
  /// For a composition: if the track of a segment is encrypted. Throws as `mediaDescription` does.
  public func hasProtectedContent() throws(MediaError) -> Bool {
    try tracks().contains { $0.sources.contains { $0.description.isProtected } }
  }

  private func hasTrack(_ isSuch: (AssetTrack) -> Bool) -> Bool {
    do throws(MediaError) { return try tracks().contains(where: isSuch) } catch { return false }
  }
}

extension AssetTrack {
  /// Returns `true` if this is a video or audio track that a decoder supports.
  ///
  /// For a composition track: if this is so for the tracks of all segments. Blocks if a plugin has to be opened.
  public func isDecodable() -> Bool {
    let sources = sources
    return !sources.isEmpty
      && sources.allSatisfy { source in
        [.video, .audio].contains(source.description.kind) && !source.description.isProtected
          && source.asset?.fileRegistry?.canDecode(source.description) ?? false
      }
  }

  /// Returns `true` if the track can be decoded and is shown or heard over time; covers are not.
  ///
  /// Decoding speed is not considered. Blocks as `isDecodable` does.
  public func isPlayable() -> Bool {
    !description.disposition.contains(.attachedPicture) && isDecodable()
  }

  /// Returns `true` if the track can be re-encoded, or if a container can carry it as it is.
  func isExportable() -> Bool {
    guard let registry = sources.first?.asset?.fileRegistry,
      description.isMovingPicture
        || description.kind == .audio
    else { return false }
    if isDecodable(), registry.canEncode(mediaType) { return true }
    return isSelfContained && !description.isProtected
      && registry.canCarry(description)
  }
}

extension PluginRegistry {
  /// Returns `true` if a plugin decodes the track; opens only the plugins that cannot answer unopened.
  func canDecode(_ track: TrackDescription) -> Bool {
    decoders(for: track).contains { factory in
      do throws(MediaError) { return try DecoderInstance.supports(factory, track) } catch {
        return false
      }
    }
  }

  /// Returns `true` if a plugin encodes to a codec of this media type.
  func canEncode(_ type: MediaType) -> Bool {
    factories(.encoder).contains { factory in
      factory.description.codecs.contains { CodecKind.mediaType(of: $0) == type }
    }
  }

  /// Returns `true` if a container can carry the track as it is.
  func canCarry(_ track: TrackDescription) -> Bool {
    factories(.muxer).contains { factory in
      do throws(MediaError) {
        try checkMuxer(factory, track: track)
        return true
      } catch { return false }
    }
  }
}
