// Presets name plugins and files, whose types come along.
@_exported public import RespoolHost
