import RespoolPlugin

/// The encoders that libavcodec has of its own and that are worth choosing.
enum Encoders {
  static let all: [any Encoder.Type] = [
    AACEncoder.self, FLACEncoder.self, ALACEncoder.self, ProResEncoder.self, FFV1Encoder.self,
    MotionJPEGEncoder.self, PNGEncoder.self,
  ]
}
