import CX265
import RespoolPlugin
import VideoEncoding

/// An encoder for HEVC with libx265.
final class X265Encoder: Encoder {
  static let description: FactoryDescription = {
    let depths = Library.bitDepths.map(String.init).joined(separator: ", ")
    var about = FactoryDescription(
      kind: .encoder, name: "x265",
      longName: "HEVC by libx265 \(Library.version), with \(depths) bits")
    about.tier = .preferred
    // The number of threads determines how many frames are coded at once, which limits motion vectors.
    about.flags = [
      .threadsChangeOutput, .keepsCaptions, .keepsDolbyVision, .lowDelay, .twoPasses,
    ]
    about.aliases = ["libx265"]
    about.codecs = ["hevc"]
    about.options = EncoderOptions.all
    about.pixelFormats = FrameFormat.all.map(\.pixelFormat)
    about.rateControl = RateControl(
      .video, quality: .init(0...51, isLowerBetter: true, usual: Parameters.usualQuality),
      bitRates: Parameters.bitRates)
    return about
  }()

  private(set) var track: TrackDescription

  private let library: Library
  private let encoder: OpaquePointer
  private let input: UnsafeMutablePointer<x265_picture>
  private let output: UnsafeMutablePointer<x265_picture>
  private let openedFormat: OpenedFormat
  private let format: FrameFormat
  private var clock: FrameClock
  private var decodingTimes = DecodingTimes(delay: 0)
  private var information: SupplementalInformation
  /// Side data of frames that are not coded yet, by tick.
  private var sideData: [Int64: [SideData]] = [:]
  /// x265's version and options as an SEI unit, to insert into the first packet.
  private var identification: [UInt8] = []
  /// `true` if the track states that its frames have data of Dolby Vision.
  private let keepsDolbyVision: Bool
  private var waiting: Packet?
  private var isDraining = false
  /// Path of the file with statistics that is written; `nil` unless this is the first of two passes.
  private let statistics: String?
  private var isClosed = false

  init(settings: EncoderSettings) throws(MediaError) {
    clock = FrameClock(settings.track)
    statistics = settings.pass == .first ? try settings.statisticsPath(of: "x265") : nil
    let parameters = try Parameters(settings, tick: clock.tick, statistics: statistics)
    (format, library) = (parameters.format, parameters.library)
    guard let encoder = library.open(parameters.pointer) else {
      throw MediaError(
        .invalidArgument, "x265 could not be opened with these settings",
        cause: "x265 rejects a combination of options, a level, a size or a rate")
    }
    do throws(MediaError) {
      library.read(parameters.pointer, of: encoder)
      input = try library.makePicture(parameters.pointer)
      do throws(MediaError) {
        output = try library.makePicture(parameters.pointer)
      } catch {
        library.free(input)
        throw error
      }
    } catch {
      library.close(encoder)
      throw error
    }
    self.encoder = encoder
    openedFormat = OpenedFormat(settings.track)
    information = SupplementalInformation(settings.track.sideData)
    keepsDolbyVision = settings.track.sideData.contains { FourCC.dolbyVision.contains($0.type) }
    let actual = parameters.pointer.pointee
    let depth = actual.bframes == 0 ? 0 : actual.bBPyramid == 0 ? 1 : 2
    track = settings.track
    track.kind = .video
    track.codec = "hevc"
    track.codecTag = 0
    track.reorderDepth = depth
    track.bitRate = settings.bitRate ?? 0
    // x265 codes whole frames: it takes fields only as frames of their own.
    track.fieldOrder = .progressive
    decodingTimes = DecodingTimes(delay: depth)
    // From here on, `deinit` closes the encoder, also if `init` throws.
    try readHeaders()
  }

  static func memory(for settings: EncoderSettings) -> Int64? {
    (try? Parameters(settings, tick: FrameClock(settings.track).tick))?.memory
  }

  deinit {
    close()
    library.free(input)
    library.free(output)
  }

  private func close() {
    if !isClosed { library.close(encoder) }
    isClosed = true
  }

  /// Splits x265's headers into the configuration record and the SEI unit.
  private func readHeaders() throws(MediaError) {
    guard let headers = library.headers(encoder) else {
      throw MediaError(.pluginFailure, "x265 returned no headers")
    }
    var stream: [UInt8] = []
    for unit in NALUnits(headers) {
      if unit.type == NALUnits.prefixInformation {
        identification += SupplementalInformation.identification(headers[unit.range]) ?? []
      } else {
        stream += [0, 0, 0, 1] + headers[unit.range]
      }
    }
    guard let configuration = try HEVCConfiguration(byteStream: stream) else {
      throw MediaError(.pluginFailure, "x265 returned headers without a parameter set")
    }
    track.extradata = configuration.bytes
    track.profile = Int32(configuration.profileTierLevel[0] & 31)
    track.level = Int32(configuration.profileTierLevel[11])
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    guard !isDraining else {
      throw MediaError(.invalidArgument, "a frame came after the end")
    }
    try openedFormat.check(frame)
    let tick = try clock.enter(frame)
    input.pointee.pts = tick
    input.pointee.bitDepth = Int32(format.bitDepth)
    input.pointee.colorSpace = format.colorSpace
    input.pointee.sliceType = frame.flags.contains(.mustBeKey) ? X265_TYPE_IDR : X265_TYPE_AUTO
    for (index, plane) in frame.planes.prefix(3).enumerated() {
      guard let stride = Int32(exactly: plane.stride) else {
        throw MediaError(.invalidArgument, "rows of \(plane.stride) bytes are too long for x265")
      }
      cx265_set_plane(input, Int32(index), plane.base, stride)
    }
    decodingTimes.add(frame.pts ?? 0)
    if !frame.sideData.isEmpty { sideData[tick] = frame.sideData }
    // x265 copies the frame before it returns.
    let packet = try withExtendedLifetime(frame.buffer) { () throws(MediaError) in
      try encode(input)
    }
    if statistics == nil { waiting = packet }
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    if let packet = waiting.take() { return .value(packet) }
    guard isDraining else { return .needsInput }
    guard !isClosed else { return .end }
    while let packet = try encode(nil) { if statistics == nil { return .value(packet) } }
    guard let statistics else { return .end }
    // The file gets its name now.
    close()
    return .value(Packet(statisticsAt: statistics))
  }

  private func encode(_ picture: UnsafeMutablePointer<x265_picture>?) throws(MediaError)
    -> Packet?
  {
    guard let coded = library.encode(encoder, picture, coded: output) else {
      throw MediaError(.pluginFailure, "x265 could not encode a frame")
    }
    guard !coded.isEmpty else { return nil }
    let tick = output.pointee.pts
    guard let times = clock.leave(tick) else {
      throw MediaError(.internal, "x265 returned a frame at \(tick), which was not sent")
    }
    let units = NALUnits(coded)
    guard let slice = units.first(where: \.isSlice) else {
      throw MediaError(.pluginFailure, "x265 returned a frame without a slice")
    }
    let side = sideData.removeValue(forKey: tick) ?? []
    information.update(side)
    var inserted = identification
    identification = []
    if slice.isRandomAccessPoint { inserted += information.keyFrameUnits }
    inserted += SupplementalInformation.userData(side)
    let vision = keepsDolbyVision ? SupplementalInformation.dolbyVision(side) : []
    let buffer = MediaBuffer(count: coded.count + inserted.count + vision.count)
    let start = slice.range.lowerBound - NALUnits.lengthSize
    buffer.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: coded[..<start]))
    UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[start...]).copyBytes(from: inserted)
    UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[(start + inserted.count)...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: coded[start...]))
    UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[(coded.count + inserted.count)...])
      .copyBytes(from: vision)
    return Packet(
      track: 0, pts: times.pts, dts: min(decodingTimes.next(), times.pts),
      duration: times.duration, flags: slice.isRandomAccessPoint ? .key : [],
      payload: .bytes(buffer))
  }
}
