@_exported public import RespoolMedia
