// Waveforms are made from assets, so the module of assets is exported too.
@_exported public import Respool
