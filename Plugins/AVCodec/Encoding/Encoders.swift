import RespoolPlugin

/// The native encoders of libavcodec that are worth offering.
enum Encoders {
  static let all: [any Encoder.Type] = [
    AACEncoder.self, FLACEncoder.self, ALACEncoder.self, ProResEncoder.self, DNxHREncoder.self,
    FFV1Encoder.self, MotionJPEGEncoder.self, PNGEncoder.self, WebPEncoder.self,
    AOMImageEncoder.self,
  ]
}
