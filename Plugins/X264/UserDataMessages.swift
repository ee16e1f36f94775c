import CX264
import Glibc
import RespoolPlugin

/// SEI messages of a frame: captions, HDR10+ and others of ITU-T T.35 (ITU-T H.264 D.2.6).
enum UserDataMessages {
  /// `payloadType` of user data registered by ITU-T T.35.
  private static let registered: Int32 = 4

  /// Attaches the messages in `sideData` to a picture.
  ///
  /// x264 frees them when the picture is coded.
  static func attach(_ sideData: [SideData], to picture: inout x264_picture_t) throws(MediaError) {
    let messages = sideData.filter { $0.type == .registeredUserData && !$0.bytes.isEmpty }
    guard !messages.isEmpty else { return }
    let list = allocate(messages.count, of: x264_sei_payload_t.self)
    guard let list else { throw noMemory }
    for (index, message) in messages.enumerated() {
      guard let copy = allocate(message.bytes.count, of: UInt8.self) else {
        for earlier in 0..<index { Glibc.free(list[earlier].payload) }
        Glibc.free(list)
        throw noMemory
      }
      copy.initialize(from: message.bytes, count: message.bytes.count)
      list[index] = x264_sei_payload_t(
        payload_size: Int32(clamping: message.bytes.count), payload_type: registered, payload: copy)
    }
    picture.extra_sei.num_payloads = Int32(messages.count)
    picture.extra_sei.payloads = list
    picture.extra_sei.sei_free = { Glibc.free($0) }
  }

  /// Allocates memory that `free` can release.
  private static func allocate<T>(_ count: Int, of _: T.Type) -> UnsafeMutablePointer<T>? {
    malloc(count * MemoryLayout<T>.stride)?.bindMemory(to: T.self, capacity: count)
  }

  private static var noMemory: MediaError {
    MediaError(.limitExceeded, "there is no memory for the side data of a frame")
  }
}
