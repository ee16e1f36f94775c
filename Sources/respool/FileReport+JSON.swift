import Respool
import RespoolMedia

extension FileReport {
  /// JSON document, without keys that do not apply.
  var document: JSON {
    .object([
      "path": .string(path), "container": container.map { .string($0) },
      "size": size.map { .integer($0) }, "duration": duration.map { .number($0) },
      "bitRate": bitRate.map { .integer($0) }, "metadata": metadata.map { Self.json($0) },
      "tracks": tracks.map { .array($0.map(\.document)) },
      "chapters": chapters.map { .array($0.map(\.document)) },
      "warning": warning.map { .string($0) }, "error": error.map { .string($0) },
    ])
  }

  fileprivate static func json(_ metadata: [String: String]) -> JSON {
    .object(
      metadata.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
  }
}

extension FileReport.Track {
  fileprivate var document: JSON {
    .object([
      "number": .integer(Int64(number.value)), "id": .integer(id), "type": .string(type),
      "codec": codec.map { .string($0) }, "duration": duration.map { .number($0) },
      "language": language.map { .string($0) }, "title": title.map { .string($0) },
      "fileName": fileName.map { .string($0) },
      "width": width.map { .integer(Int64($0)) }, "height": height.map { .integer(Int64($0)) },
      "sampleAspect": sampleAspect.map { .string($0) },
      "pixelFormat": pixelFormat.map { .string($0) },
      "frameRate": frameRate.map { .number($0) },
      "rotation": rotation.map { .integer(Int64($0)) },
      "mirrored": isMirrored.map { .bool($0) },
      "fieldOrder": fieldOrder.map { .string($0) },
      "color": color.map(\.document), "dynamicRange": dynamicRange.map(\.document),
      "sampleRate": sampleRate.map { .integer(Int64($0)) },
      "channels": channels.map { .integer(Int64($0)) },
      "channelLayout": channelLayout.map { .string($0) },
      "bitsPerSample": bitsPerSample.map { .integer(Int64($0)) },
      "bitRate": bitRate.map { .integer($0) }, "disposition": disposition.map { .strings($0) },
      "keys": keys.map { .strings($0) }, "metadata": metadata.map { FileReport.json($0) },
      "furtherFormats": furtherFormats.map { .array($0.map(\.document)) },
    ])
  }
}

extension ColorDescription {
  fileprivate var document: JSON {
    .object([
      "primaries": primariesName.map { .string($0) }, "transfer": transferName.map { .string($0) },
      "matrix": matrixName.map { .string($0) }, "range": rangeName.map { .string($0) },
    ])
  }
}

extension FileReport.Chapter {
  fileprivate var document: JSON {
    .object([
      "title": .string(title), "start": .number(start), "end": .number(end),
      "language": language.map { .string($0) },
    ])
  }
}
