import CAVFilter
import Glibc
import RespoolPlugin

/// Filters that measure, and change nothing.
let measuringFilters: [any Filter.Type] = [
  CropDetection.self, InterlaceDetection.self, LoudnessMeasurement.self,
]

private final class CropDetection: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "cropdetect", "Finds black borders: the smallest crop that keeps everything else of the film",
      video: Formats.planar + [.gray, .nv12, .nv21, .rgb24, .bgr24, .rgba, .bgra]
    ).with {
      $0.flags = .measuresOnly
      // The union over the whole film needs an area that only grows.
      $0.hidden = ["reset", "reset_count"]
    }
  }

  override var results: [FilterResult] {
    let values = ["w", "h", "x", "y"].compactMap { measured["lavfi.cropdetect." + $0] }
    guard values.count == 4, values.prefix(2).allSatisfy({ Int($0).map { $0 > 0 } ?? false }) else {
      return []
    }
    var results = [FilterResult("crop", values.joined(separator: ":"))]
    // The crop is rounded to fewer columns and rows; the first and last ones that are not black are exact.
    let edges = ["x1", "x2", "y1", "y2"].compactMap {
      measured["lavfi.cropdetect." + $0].flatMap { Int($0) }
    }
    if edges.count == 4 {
      let (width, height) = (edges[1] - edges[0] + 1, edges[3] - edges[2] + 1)
      results.append(FilterResult("visible", "\(width):\(height):\(edges[0]):\(edges[2])"))
    }
    return results
  }
}

private final class InterlaceDetection: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "idet", "Counts interlaced, progressive and repeated frames by looking at them",
      video: Formats.planar + Formats.alpha8 + [.gray, .gray16le]
    ).with {
      $0.flags = .measuresOnly
      $0.hidden = ["analyze_interlaced_flag"]
    }
  }

  override var results: [FilterResult] {
    [
      ("top-first", "multiple.tff"), ("bottom-first", "multiple.bff"),
      ("progressive", "multiple.progressive"), ("undetermined", "multiple.undetermined"),
      ("repeated-top", "repeated.top"), ("repeated-bottom", "repeated.bottom"),
    ].compactMap { name, key in
      guard let value = measured["lavfi.idet." + key] else { return nil }
      return FilterResult(
        name, value.hasSuffix(".00") ? String(value.dropLast(3)) : value, unit: "frames")
    }
  }
}

private final class LoudnessMeasurement: LibraryFilter {
  override class var specification: Specification {
    Specification("ebur128", "Measures loudness by EBU R 128, and the true peak", audio: [.dbl])
      .with {
        $0.flags = .measuresOnly
        $0.hidden = [
          "video", "size", "meter", "framelog", "metadata", "peak", "target", "gauge", "scale",
        ]
        $0.fixedOptions = [PluginOption("metadata", "1"), PluginOption("peak", "true")]
      }
  }

  override var results: [FilterResult] {
    guard let loudness = measured["lavfi.r128.I"], let range = measured["lavfi.r128.LRA"] else {
      return []
    }
    var results = [
      FilterResult("integrated", loudness, unit: "LUFS"), FilterResult("range", range, unit: "LU"),
    ]
    // The library gives the peak as a factor of full scale.
    if let peak = measured["lavfi.r128.true_peak"].flatMap({ Double($0) }), peak > 0 {
      results.append(FilterResult("true-peak", Self.decibels(peak), unit: "dBTP"))
    }
    return results
  }

  /// Returns a factor in decibels with three decimals.
  private static func decibels(_ factor: Double) -> String {
    let thousandths = Int((20_000 * log10(factor)).rounded())
    let digits = String(thousandths.magnitude % 1000 + 1000).dropFirst()
    return "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000).\(digits)"
  }
}
