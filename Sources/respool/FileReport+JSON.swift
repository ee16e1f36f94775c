import Respool

extension FileReport {
  /// Keys that do not apply are left out.
  var document: JSON {
    let metadata = metadata.map { values in
      JSON.object(
        values.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
    }
    return .object([
      "path": .string(path), "container": container.map { .string($0) },
      "size": size.map { .integer($0) }, "duration": duration.map { .number($0) },
      "metadata": metadata, "tracks": tracks.map { .array($0.map(\.document)) },
      "chapters": chapters.map { .array($0.map(\.document)) },
      "warning": warning.map { .string($0) }, "error": error.map { .string($0) },
    ])
  }
}

extension FileReport.Track {
  fileprivate var document: JSON {
    .object([
      "id": .integer(id), "type": .string(type), "codec": codec.map { .string($0) },
      "duration": duration.map { .number($0) }, "language": language.map { .string($0) },
      "width": width.map { .integer(Int64($0)) }, "height": height.map { .integer(Int64($0)) },
      "pixelFormat": pixelFormat.map { .string($0) },
      "frameRate": frameRate.map { .number($0) },
      "rotation": rotation.map { .integer(Int64($0)) },
      "sampleRate": sampleRate.map { .integer(Int64($0)) },
      "channels": channels.map { .integer(Int64($0)) },
      "channelLayout": channelLayout.map { .string($0) },
      "bitRate": bitRate.map { .integer($0) }, "disposition": disposition.map { .strings($0) },
      "keys": keys.map { .strings($0) },
      "furtherFormats": furtherFormats.map { .array($0.map(\.document)) },
    ])
  }
}

extension FileReport.Chapter {
  fileprivate var document: JSON {
    .object(["title": .string(title), "start": .number(start), "end": .number(end)])
  }
}
