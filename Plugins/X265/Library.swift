import CX265
import RespoolPlugin

/// The functions of one build of libx265, which encodes one bit depth.
///
/// Debian's library has builds for 8, 10 and 12 bits; others may have fewer.
// Sendable: the table of functions is constant.
struct Library: @unchecked Sendable {
  private let api: UnsafePointer<x265_api>

  private init?(bitDepth: Int) {
    guard let api = cx265_api(Int32(bitDepth)) else { return nil }
    self.api = api
  }

  private static let builds: [Int: Library] = {
    var builds: [Int: Library] = [:]
    for depth in [8, 10, 12] { builds[depth] = Library(bitDepth: depth) }
    return builds
  }()

  /// Bit depths of the present library, in ascending order.
  static let bitDepths = builds.keys.sorted()

  /// Version of the present library, such as `3.5`; empty if it has no build.
  static let version =
    bitDepths.first.flatMap { builds[$0]?.api.pointee.version_str }.map {
      String(cString: $0).prefix { $0 != "+" && $0 != "-" }.description
    } ?? ""

  static func build(forBitDepth depth: Int) throws(MediaError) -> Library {
    guard let build = builds[depth] else {
      throw MediaError(
        .unsupported,
        "libx265 \(version) has no encoder for \(depth) bits; it has those for "
          + bitDepths.map(String.init).joined(separator: ", "))
    }
    return build
  }

  // Every function below is present in all versions with this API (x265.h); a missing one is a broken library.

  func makeParameters() throws(MediaError) -> UnsafeMutablePointer<x265_param> {
    guard let parameters = api.pointee.param_alloc() else {
      throw MediaError(.limitExceeded, "memory ran out", cause: "x265 allocated no parameters")
    }
    // x265 does not clear the memory, and frees lists in it.
    api.pointee.param_default(parameters)
    return parameters
  }

  func free(_ parameters: UnsafeMutablePointer<x265_param>) { api.pointee.param_free(parameters) }

  func setDefaults(
    _ parameters: UnsafeMutablePointer<x265_param>, preset: String, tune: String?
  ) -> Bool { api.pointee.param_default_preset(parameters, preset, tune) == 0 }

  func parse(
    _ parameters: UnsafeMutablePointer<x265_param>, _ key: String, _ value: String?
  ) -> Int32 { api.pointee.param_parse(parameters, key, value) }

  func apply(profile: String, to parameters: UnsafeMutablePointer<x265_param>) -> Bool {
    api.pointee.param_apply_profile(parameters, profile) == 0
  }

  func open(_ parameters: UnsafeMutablePointer<x265_param>) -> OpaquePointer? {
    api.pointee.encoder_open(parameters)
  }

  func close(_ encoder: OpaquePointer) { api.pointee.encoder_close(encoder) }

  /// Copies the parameters that an encoder uses.
  func read(_ parameters: UnsafeMutablePointer<x265_param>, of encoder: OpaquePointer) {
    api.pointee.encoder_parameters(encoder, parameters)
  }

  func makePicture(_ parameters: UnsafeMutablePointer<x265_param>) throws(MediaError)
    -> UnsafeMutablePointer<x265_picture>
  {
    guard let picture = api.pointee.picture_alloc() else {
      throw MediaError(.limitExceeded, "memory ran out", cause: "x265 allocated no frame")
    }
    api.pointee.picture_init(parameters, picture)
    return picture
  }

  func free(_ picture: UnsafeMutablePointer<x265_picture>) { api.pointee.picture_free(picture) }

  /// NAL units, each after its length, one after the other in memory that the encoder owns until its next call.
  typealias Units = UnsafeRawBufferPointer

  /// Returns the parameter sets and SEI messages of the stream; `nil` if the encoder fails.
  func headers(_ encoder: OpaquePointer) -> Units? {
    var units: UnsafeMutablePointer<x265_nal>?
    var count: UInt32 = 0
    guard api.pointee.encoder_headers(encoder, &units, &count) >= 0 else { return nil }
    return Self.bytes(units, count)
  }

  /// Encodes a picture, or continues draining if it is `nil`.
  ///
  /// Returns the units of one coded frame, empty if there is none yet; `nil` if the encoder fails. `coded` describes that
  /// frame.
  func encode(
    _ encoder: OpaquePointer, _ picture: UnsafeMutablePointer<x265_picture>?,
    coded: UnsafeMutablePointer<x265_picture>
  ) -> Units? {
    var units: UnsafeMutablePointer<x265_nal>?
    var count: UInt32 = 0
    let status = api.pointee.encoder_encode(encoder, &units, &count, picture, coded)
    guard status >= 0 else { return nil }
    return status == 0 ? Units(start: nil, count: 0) : Self.bytes(units, count)
  }

  private static func bytes(_ units: UnsafeMutablePointer<x265_nal>?, _ count: UInt32) -> Units {
    let list = UnsafeBufferPointer(start: units, count: Int(count))
    // The payloads of all units are contiguous (x265.h).
    return Units(
      start: list.first?.payload, count: list.reduce(0) { $0 + Int($1.sizeBytes) })
  }
}
