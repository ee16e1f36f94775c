package import CRespool

extension Frame {
  /// Takes over the reference of a frame that the other side of the plugin boundary returned.
  ///
  /// `nil` if the frame has no memory or fewer planes than its format needs; the reference is then released.
  package init?(adopting value: borrowing rsp_frame) {
    self.init(value, buffer: MediaBuffer.adopting(value.buffer))
  }

  /// Retains a frame that was only lent for a call; `nil` if that is not possible.
  package init?(retaining frame: UnsafePointer<rsp_frame>) {
    let value = rsp_frame.copy(frame)
    guard value.buffer.owner != nil else { return nil }
    self.init(value, buffer: MediaBuffer.retaining(value.buffer))
  }

  private init?(_ value: borrowing rsp_frame, buffer: MediaBuffer?) {
    guard let buffer else { return nil }
    let isVideo = value.kind == UInt32(RSP_KIND_VIDEO)
    var tuple = value.plane
    var strides = value.stride
    let maximum = Int(RSP_MAX_PLANES)
    let count = Int(value.plane_count)
    var planes: [Plane] = []
    withUnsafeBytes(of: &tuple) { pointers in
      withUnsafeBytes(of: &strides) { strides in
        let pointers = pointers.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
        let strides = strides.bindMemory(to: Int.self)
        for index in 0..<min(count, maximum) {
          guard let base = pointers[index] else { return }
          planes.append(Plane(base: UnsafeMutableRawPointer(base), stride: strides[index]))
        }
        if !isVideo, count > maximum, let first = pointers[0], strides[0] > 0 {
          planes = (0..<min(count, Int(RSP_MAX_CHANNELS))).map {
            Plane(base: UnsafeMutableRawPointer(first) + $0 * strides[0], stride: strides[0])
          }
        }
      }
    }
    let needed: Int
    if isVideo {
      needed = PixelFormat(rawValue: value.format).layout?.planeCount ?? .max
    } else {
      let format = SampleFormat(rawValue: value.format)
      needed = format.bytesPerSample == 0 ? .max : format.isPlanar ? Int(value.channels) : 1
    }
    guard planes.count >= needed else { return nil }
    self.init(
      kind: isVideo ? .video : .audio, pts: time(value.pts), planes: planes, buffer: buffer)
    duration = value.duration
    flags = Flags(rawValue: value.flags)
    if let list = value.side_data { sideData = [SideData](list, value.side_data_count) }
    if isVideo {
      pixelFormat = PixelFormat(rawValue: value.format)
      width = Int(value.width)
      height = Int(value.height)
      sampleAspect = Rational(value.sample_aspect)
      color = ColorDescription(value.color)
    } else {
      sampleFormat = SampleFormat(rawValue: value.format)
      sampleRate = Int(value.sample_rate)
      channelLayout = ChannelLayout(channelCount: Int(value.channels), mask: value.channel_mask)
      sampleCount = Int(value.sample_count)
    }
  }

  /// The C form with a reference that the receiver must release.
  ///
  /// Side data is lent: its copy lives as long as `arena`, which is only asked for if there is any.
  package func exported(in arena: () -> CArena) -> rsp_frame {
    var value = base
    value.buffer = buffer.exported()
    if !sideData.isEmpty { value.side_data = sideData.cValue(in: arena()) }
    return value
  }

  /// Calls `body` with the C form, lent for the call; the receiver retains what it keeps.
  package func withLent<R>(_ body: (UnsafePointer<rsp_frame>) -> R) -> R {
    var value = base
    value.buffer = buffer.lent()
    let arena = sideData.isEmpty ? nil : CArena()
    if let arena { value.side_data = sideData.cValue(in: arena) }
    return withExtendedLifetime((buffer, arena)) { withUnsafePointer(to: value) { body($0) } }
  }

  private var base: rsp_frame {
    var value = rsp_frame()
    value.struct_size = structSize(rsp_frame.self)
    value.kind = UInt32(kind == .video ? RSP_KIND_VIDEO : RSP_KIND_AUDIO)
    value.pts = pts ?? .min
    value.duration = duration
    value.flags = flags.rawValue
    value.format = kind == .video ? pixelFormat.rawValue : sampleFormat.rawValue
    value.width = UInt32(clamping: width)
    value.height = UInt32(clamping: height)
    value.sample_aspect = sampleAspect.cValue
    value.color = color.cValue
    value.sample_rate = UInt32(clamping: sampleRate)
    value.channels = UInt32(clamping: channelLayout.channelCount)
    value.channel_mask = channelLayout.mask
    value.sample_count = UInt32(clamping: sampleCount)
    value.plane_count = UInt32(planes.count)
    value.side_data_count = UInt32(clamping: sideData.count)
    withUnsafeMutableBytes(of: &value.plane) { pointers in
      withUnsafeMutableBytes(of: &value.stride) { strides in
        let pointers = pointers.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
        let strides = strides.bindMemory(to: Int.self)
        for (index, plane) in planes.prefix(Int(RSP_MAX_PLANES)).enumerated() {
          pointers[index] = plane.base.assumingMemoryBound(to: UInt8.self)
          strides[index] = plane.stride
        }
      }
    }
    return value
  }
}
