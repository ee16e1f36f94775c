public import RespoolMedia

// Blocks where the file or a plugin has to be opened. What cannot be read can do nothing.
extension Asset {
  /// Whether a reader can give media of it: a decoder is there for a track of picture or sound.
  public func isReadable() -> Bool { hasTrack { $0.isDecodable() } }

  /// Whether something of it can be shown or heard with the decoders that are there.
  public func isPlayable() -> Bool { hasTrack { $0.isPlayable() } }

  /// Whether an export session can make something of it.
  ///
  /// There is a track of picture or sound that can be decoded and encoded, or that goes into another file
  /// as it is.
  public func isExportable() -> Bool { hasTrack { $0.isExportable() } }

  /// Whether it has a track that can be put into a composition's.
  public func isComposable() -> Bool {
    hasTrack { track in
      let description = track.description
      return [.video, .audio, .subtitle].contains(description.kind) && !description.isProtected
        && !description.disposition.contains(.attachedPicture)
    }
  }

  /// Whether a track is encrypted, as far as the file's sample entries say so (ISO/IEC 14496-12 8.12).
  ///
  /// Of a composition: whether a piece is. Throws as `mediaDescription` does.
  public func hasProtectedContent() throws(MediaError) -> Bool {
    try tracks().contains { $0.sources.contains { $0.description.isProtected } }
  }

  private func hasTrack(_ isSuch: (AssetTrack) -> Bool) -> Bool {
    do throws(MediaError) { return try tracks().contains(where: isSuch) } catch { return false }
  }
}

extension AssetTrack {
  /// Whether it is picture or sound and a decoder is there for it; for all pieces of a composition's.
  ///
  /// Blocks where a plugin has to be opened to tell.
  public func isDecodable() -> Bool {
    let sources = sources
    return !sources.isEmpty
      && sources.allSatisfy { source in
        [.video, .audio].contains(source.description.kind) && !source.description.isProtected
          && source.asset?.fileRegistry?.canDecode(source.description) ?? false
      }
  }

  /// Whether it can be decoded and is to be shown or heard as time goes by: covers are not.
  ///
  /// How fast it is decoded is not looked at. Blocks as `isDecodable` does.
  public func isPlayable() -> Bool {
    !description.disposition.contains(.attachedPicture) && isDecodable()
  }

  /// Whether all its samples are in the asset's own file; a composition's are in those of its pieces.
  ///
  /// Demuxers give nothing that lies in other files.
  public var isSelfContained: Bool { isOfFile }

  /// Whether it can be encoded anew, or goes into a file of some kind as it is.
  func isExportable() -> Bool {
    guard let registry = sources.first?.asset?.fileRegistry,
      description.isMovingPicture
        || description.kind == .audio
    else { return false }
    if isDecodable(), registry.canEncode(mediaType) { return true }
    return isOfFile && !description.isProtected
      && registry.canCarry(description)
  }
}

extension PluginRegistry {
  /// Whether a plugin decodes the track; opens those that can tell only then.
  func canDecode(_ track: TrackDescription) -> Bool {
    decoders(for: track).contains { factory in
      do throws(MediaError) { return try DecoderInstance.supports(factory, track) } catch {
        return false
      }
    }
  }

  /// Whether a plugin encodes to something of this kind.
  func canEncode(_ type: MediaType) -> Bool {
    factories(.encoder).contains { factory in
      factory.description.codecs.contains { CodecKind.mediaType(of: $0) == type }
    }
  }

  /// Whether some container can carry the track as it is.
  func canCarry(_ track: TrackDescription) -> Bool {
    factories(.muxer).contains { factory in
      do throws(MediaError) {
        try checkMuxer(factory, track: track)
        return true
      } catch { return false }
    }
  }
}
