import RespoolMedia

/// A conversion from high dynamic range to standard dynamic range.
///
/// The frame is scaled in its own code values. Colors are mapped at the new size, as 16-bit RGB.
final class ToneMappedConversion {
  let target: VideoFormat
  private let unfolding: FrameConverter
  private let mapper: ToneMapper
  private let folding: FrameConverter
  private let pool: FramePool

  /// Returns `nil` if the source is not HDR, or the target is HDR too or does not specify its transfer.
  init?(
    from source: VideoFormat, to target: VideoFormat, filter: ScalingFilter,
    dithering: Dithering, peak: Double?, pool: FramePool
  ) throws(MediaError) {
    guard let mapping = Self.mapping(source, target, peak: peak) else { return nil }
    let hasAlpha = [source, target].allSatisfy { $0.pixelFormat.layout?.hasAlpha ?? false }
    func unfolded(primaries: UInt8, transfer: UInt8) -> VideoFormat {
      VideoFormat(
        pixelFormat: hasAlpha ? .gbrap16le : .gbrp16le, width: target.width, height: target.height,
        color: ColorDescription(
          primaries: primaries, transfer: transfer, matrix: H273.Matrix.identity, range: .full),
        isInterlaced: source.isInterlaced)
    }
    unfolding = try FrameConverter(
      from: source,
      to: unfolded(primaries: source.color.primaries, transfer: source.color.transfer),
      filter: filter, dithering: .none, pool: pool)
    mapper = ToneMapper(mapping)
    folding = try FrameConverter(
      from: unfolded(primaries: mapping.target.rawValue, transfer: H273.Transfer.bt709), to: target,
      filter: filter, dithering: dithering, pool: pool)
    self.target = folding.target
    self.pool = pool
  }

  /// Returns `nil` for gray, which has no color to map, and for palettes, which are never HDR.
  private static func mapping(_ source: VideoFormat, _ target: VideoFormat, peak: Double?)
    -> ToneMapping?
  {
    let families = [source, target].map { $0.pixelFormat.layout?.family }
    guard let transfer = ToneMapping.Transfer(rawValue: source.color.transfer),
      target.color.isStandardDynamicRange, families.allSatisfy({ $0 == .yuv || $0 == .rgb })
    else { return nil }
    let primaries = RGBPrimaries(rawValue: source.color.primaries) ?? .bt2020
    let wanted = target.color.primaries
    return ToneMapping(
      transfer, from: primaries,
      to: wanted == H273.unspecified ? primaries : RGBPrimaries(rawValue: wanted) ?? .bt709,
      peak: peak)
  }

  func convert(_ frame: Frame) throws(MediaError) -> Frame {
    let source = try unfolding.convert(frame)
    guard
      let mapped = pool.video(
        pixelFormat: source.pixelFormat, width: source.width, height: source.height,
        pts: source.pts)
    else { throw MediaError(.internal, "no memory for a frame of \(target)") }
    var result = source
    withExtendedLifetime((source.buffer, mapped.buffer)) { mapper.convert(source, into: mapped) }
    (result.buffer, result.planes) = (mapped.buffer, mapped.planes)
    return try folding.convert(result)
  }
}
