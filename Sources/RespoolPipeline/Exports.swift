// Stages use the output of plugins and the input of conversions.
@_exported public import RespoolHost
@_exported public import RespoolProcessing
