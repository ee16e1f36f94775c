// Waveforms are made of assets, whose module comes along.
@_exported public import Respool
