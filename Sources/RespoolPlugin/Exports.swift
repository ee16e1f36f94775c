@_exported public import CRespool
@_exported public import RespoolMedia
