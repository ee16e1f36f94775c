// Stages hand on what plugins give and what conversions take.
@_exported public import RespoolHost
@_exported public import RespoolProcessing
