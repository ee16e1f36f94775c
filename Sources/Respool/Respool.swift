// What the library's types are made of is there with one import, as CMTime is with AVFoundation.
@_exported public import RespoolHost
@_exported public import RespoolMedia
@_exported public import RespoolPipeline
@_exported public import RespoolPresets
@_exported public import RespoolProcessing
