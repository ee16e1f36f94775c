import RespoolMedia

extension ResolvedSettings {
  /// Every decision with its reason, one line each, for people.
  public var explanation: String {
    let settings = decisions.map { $0.setting.description.count }.max() ?? 0
    let values = min(decisions.map { $0.value.count }.max() ?? 0, 28)
    return decisions.map { decision in
      let warning = decision.isWarning ? "warning: " : ""
      return Self.pad(decision.setting.description, to: settings) + "  "
        + Self.pad(decision.value, to: values)
        + "  " + warning + decision.reason + "\n"
    }.joined()
  }

  private static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Settings and decisions, in the form of `presets explain --json`.
  package var json: JSON {
    .object([
      "settings": .object([
        "preset": .string(preset), "container": .string(container),
        "fileExtension": .string(fileExtension), "muxerPlugin": .string(muxer.plugin),
        "containerOptions": Self.json(containerOptions),
        "metadata": .bool(keepsMetadata), "chapters": .bool(keepsChapters),
        "skipReason": skipReason.map { .string($0) },
        "tracks": .array(tracks.map(\.json)),
      ]),
      "decisions": .array(
        decisions.map { decision in
          .object([
            "setting": .string(decision.setting.description), "value": .string(decision.value),
            "reason": .string(decision.reason),
            "warning": decision.isWarning ? .bool(true) : nil,
          ])
        }),
    ])
  }

  fileprivate static func json(_ options: [PluginOption]) -> JSON? {
    options.isEmpty
      ? nil : .object(options.map { JSON.Member(name: $0.name, value: .string($0.value)) })
  }
}

extension ResolvedSettings.Track {
  fileprivate var json: JSON {
    let head: KeyValuePairs<String, JSON?> = [
      "track": .integer(Int64(TrackNumber(index: source).value)), "type": .string("\(kind)"),
    ]
    let rest: JSON =
      switch action {
      case .passThrough: .object(["action": .string("passThrough")])
      case .drop(let reason):
        .object(["action": .string("drop"), "reason": .string(reason)])
      case .convertVideo(let video): video.json
      case .convertAudio(let audio): audio.json
      case .convertCaptions(let codec):
        .object(["action": .string("convert"), "codec": .string(codec)])
      }
    guard case .object(let first) = JSON.object(head), case .object(let second) = rest else {
      return rest
    }
    return .object(first + second)
  }
}

extension TrackFilters {
  fileprivate var json: JSON {
    .array(
      filters.map { filter in
        .object([
          "name": .string(filter.factory.description.name),
          "plugin": .string(filter.factory.plugin),
          "options": ResolvedSettings.json(filter.options),
        ])
      })
  }
}

extension VideoConversion {
  fileprivate var json: JSON {
    var rotationText: JSON?
    switch rotation {
    case .keepMatrix(let matrix):
      let orientation = matrix.orientation
      if !orientation.isUpright {
        rotationText = .string("\(orientation.clockwiseDegrees)° as metadata")
      }
    case .rotatePixels(let orientation):
      rotationText = .string("\(orientation.clockwiseDegrees)° turned")
    }
    return .object([
      "action": .string("convert"), "codec": .string(codec),
      "encoder": .string(encoder.description.name), "encoderPlugin": .string(encoder.plugin),
      "filters": filters?.json,
      "keepsDolbyVision": keepsDolbyVision ? .bool(true) : nil,
      "burntTrack": subtitles.map { .integer(Int64(TrackNumber(index: $0.track).value)) },
      "width": .integer(Int64(width)), "height": .integer(Int64(height)),
      "sampleAspect": sampleAspect.isPositive ? .string(sampleAspect.description) : nil,
      "pixelFormat": .string(pixelFormat.name), "rotation": rotationText,
      "maximumFrameRate": maximumFrameRate.map { .number($0.doubleValue) },
      "frameRate": frameRate.isPositive ? .number(frameRate.doubleValue) : nil,
      "keyFrameInterval": keyFrameInterval.map { .number($0) },
      "passes": passes > 1 ? .integer(Int64(passes)) : nil,
      "quality": quality.map { .number($0) }, "bitRate": bitRate.map { .integer($0) },
      "options": ResolvedSettings.json(options),
      "threads": threads.map { .integer(Int64($0)) },
    ])
  }
}

extension AudioConversion {
  fileprivate var json: JSON {
    .object([
      "action": .string("convert"), "codec": .string(codec),
      "encoder": .string(encoder.description.name), "encoderPlugin": .string(encoder.plugin),
      "filters": filters?.json,
      "sampleRate": .integer(Int64(sampleRate)),
      "channels": .integer(Int64(channelLayout.channelCount)),
      "channelLayout": .string(channelLayout.description),
      "sampleFormat": .string(sampleFormat.name),
      "quality": quality.map { .number($0) }, "bitRate": bitRate.map { .integer($0) },
      "options": ResolvedSettings.json(options),
    ])
  }
}
