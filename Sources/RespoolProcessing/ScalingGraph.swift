import CConversion
import RespoolMedia

/// A zimg filter graph with its scratch memory.
///
/// The graph takes only planes of whole chroma blocks, so frames of odd size are padded. `region` is the part
/// of the padded source, in pixels, that is scaled to the padded target.
final class ScalingGraph {
  struct Image {
    var arrangement: SampleArrangement
    var width: Int
    var height: Int
    var color: ColorResolution.Side
    var hasAlpha: Bool
    /// 0 is the top field, 1 the bottom field.
    ///
    /// `nil`: the whole frame.
    var field: Int?
  }

  private let graph: OpaquePointer
  private let scratch: UnsafeMutableRawPointer
  /// Number of rows that the source ring needs, a power of two minus one.
  ///
  /// `UInt32.max`: all rows.
  let sourceMask: UInt32
  let targetMask: UInt32

  init(
    from source: Image, to target: Image, region: (width: Double, height: Double),
    filter: ScalingFilter, dithering: Dithering
  ) throws(MediaError) {
    var from = Self.format(source)
    from.active_region.left = 0
    from.active_region.top = 0
    from.active_region.width = region.width
    from.active_region.height = region.height
    var to = Self.format(target)
    var parameters = respool_zimg_parameters()
    let zimgFilter = Self.filter(filter)
    parameters.resample_filter = zimgFilter
    parameters.resample_filter_uv = zimgFilter
    if filter == .lanczos {
      parameters.filter_param_a = 3
      parameters.filter_param_a_uv = 3
    }
    // Used when standard dynamic range is converted to PQ or HLG.
    parameters.nominal_peak_luminance = ToneMapping.white
    parameters.dither_type =
      switch dithering {
      case .none: ZIMG_DITHER_NONE
      case .ordered: ZIMG_DITHER_ORDERED
      case .errorDiffusion: ZIMG_DITHER_ERROR_DIFFUSION
      }
    guard let graph = zimg_filter_graph_build(&from, &to, &parameters) else {
      throw Self.failure("zimg cannot convert \(Self.name(source)) to \(Self.name(target))")
    }
    var size = 0
    var inputRows: UInt32 = 0
    var outputRows: UInt32 = 0
    guard zimg_filter_graph_get_tmp_size(graph, &size) == ZIMG_ERROR_SUCCESS,
      zimg_filter_graph_get_input_buffering(graph, &inputRows) == ZIMG_ERROR_SUCCESS,
      zimg_filter_graph_get_output_buffering(graph, &outputRows) == ZIMG_ERROR_SUCCESS
    else {
      zimg_filter_graph_free(graph)
      throw Self.failure("zimg does not report the memory that it needs")
    }
    self.graph = graph
    sourceMask = zimg_select_buffer_mask(inputRows)
    targetMask = zimg_select_buffer_mask(outputRows)
    scratch = .allocate(byteCount: max(size, 64), alignment: 64)
  }

  deinit {
    scratch.deallocate()
    zimg_filter_graph_free(graph)
  }

  /// Runs the graph over one frame or field.
  ///
  /// Calls `rows` before rows are read and after rows are written, as far as it needs unpacking and packing.
  func run(_ rows: RowExchange) throws(MediaError) {
    let unpack: zimg_filter_graph_callback = { context, row, left, right in
      guard let context else { return 1 }
      // The exchange outlives the call below, which is the only one that uses the callbacks.
      let rows = Unmanaged<RowExchange>.fromOpaque(context).takeUnretainedValue()
      rows.unpack(row: Int(row), left: Int(left), right: Int(right))
      return 0
    }
    let pack: zimg_filter_graph_callback = { context, row, left, right in
      guard let context else { return 1 }
      let rows = Unmanaged<RowExchange>.fromOpaque(context).takeUnretainedValue()
      rows.pack(row: Int(row), left: Int(left), right: Int(right))
      return 0
    }
    let status = withExtendedLifetime(rows) {
      respool_zimg_process(
        graph, rows.sourcePlanes, rows.targetPlanes, scratch, rows.needsUnpacking ? unpack : nil,
        rows.needsPacking ? pack : nil, Unmanaged.passUnretained(rows).toOpaque())
    }
    guard status == ZIMG_ERROR_SUCCESS else {
      throw Self.failure("zimg failed with code \(status.rawValue)")
    }
  }

  private static func format(_ image: Image) -> zimg_image_format {
    var format = respool_zimg_format()
    let layout = image.arrangement.layout
    format.width = UInt32(image.width)
    format.height = UInt32(image.height)
    format.pixel_type =
      switch image.arrangement.elementSize {
      case 4: ZIMG_PIXEL_FLOAT
      case 2: ZIMG_PIXEL_WORD
      default: ZIMG_PIXEL_BYTE
      }
    format.depth = UInt32(image.arrangement.depth)
    format.subsample_w = UInt32(layout.log2ChromaWidth)
    format.subsample_h = UInt32(layout.log2ChromaHeight)
    format.color_family =
      switch layout.family {
      case .yuv: ZIMG_COLOR_YUV
      case .gray: ZIMG_COLOR_GREY
      case .rgb, .palette: ZIMG_COLOR_RGB
      }
    format.matrix_coefficients = .init(numericCast(image.color.matrix))
    format.transfer_characteristics = .init(numericCast(image.color.transfer))
    format.color_primaries = .init(numericCast(image.color.primaries))
    format.pixel_range = image.color.isFullRange ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED
    format.chroma_location = .init(numericCast(image.color.chromaLocation))
    format.field_parity =
      switch image.field {
      case 0: ZIMG_FIELD_TOP
      case .some: ZIMG_FIELD_BOTTOM
      case nil: ZIMG_FIELD_PROGRESSIVE
      }
    format.alpha = image.hasAlpha ? ZIMG_ALPHA_STRAIGHT : ZIMG_ALPHA_NONE
    return format
  }

  private static func filter(_ filter: ScalingFilter) -> zimg_resample_filter_e {
    switch filter {
    case .point: ZIMG_RESIZE_POINT
    case .bilinear: ZIMG_RESIZE_BILINEAR
    case .bicubic: ZIMG_RESIZE_BICUBIC
    case .spline16: ZIMG_RESIZE_SPLINE16
    case .spline36: ZIMG_RESIZE_SPLINE36
    case .spline64: ZIMG_RESIZE_SPLINE64
    case .lanczos: ZIMG_RESIZE_LANCZOS
    }
  }

  private static func name(_ image: Image) -> String {
    "\(image.arrangement.layout.name) \(image.width)x\(image.height) "
      + "(matrix \(image.color.matrix), transfer \(image.color.transfer), "
      + "primaries \(image.color.primaries))"
  }

  private static func failure(_ message: String) -> MediaError {
    var text = [CChar](repeating: 0, count: 1024)
    zimg_get_last_error(&text, text.count - 1)
    zimg_clear_last_error()
    let words = String(
      decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return MediaError(.unsupported, message, cause: words.isEmpty ? nil : words)
  }
}
