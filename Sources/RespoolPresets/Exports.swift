// Presets name plugins and files, so their types are exported as well.
@_exported public import RespoolHost
