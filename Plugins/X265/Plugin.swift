// SPDX-License-Identifier: GPL-2.0-or-later
// The whole plugin is under the license of libx265, which it links; see LICENSE in this folder.
public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "X265", version: "1.0.0", license: "GPL-2.0-or-later", encoders: [X265Encoder.self]
  )
  .table(for: host)
}
