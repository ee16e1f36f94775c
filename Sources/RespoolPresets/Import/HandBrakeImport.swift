public import RespoolMedia
import RespoolHost

/// A preset of HandBrake as a preset file of Respool, with what became of each of its keys.
public struct ImportedPreset: Hashable, Sendable {
  /// Treatment of a key.
  public enum Treatment: String, Hashable, Sendable, CaseIterable {
    /// Respool does what HandBrake does.
    case kept
    /// Respool does something similar.
    case changed
    /// Respool cannot do it.
    case refused
    /// The key belongs to HandBrake's window, or other keys of the preset make it ineffective.
    case unused
  }

  /// A key of HandBrake and its treatment.
  public struct Note: Hashable, Sendable {
    /// Key, with the position of its audio track: `AudioList[0].AudioBitrate`.
    public var key: String
    public var treatment: Treatment
    /// Value in the file, shortened.
    public var value: String
    /// Result or reason, in words.
    public var text: String
  }

  /// Name that is also valid for a file.
  public var name: String
  /// Folders of HandBrake's list that contain the preset, outermost first.
  public var folders: [String]
  /// Preset file of Respool, in YAML.
  public var text: String
  /// One note for each key, in the order of the file.
  public var notes: [Note]

  /// Returns the notes with a treatment.
  public func notes(_ treatment: Treatment) -> [Note] { notes.filter { $0.treatment == treatment } }
}

/// Reader of preset files of HandBrake.
public enum HandBrakeImport {
  /// Maximum number of presets in a file.
  private static let maximumCount = 2000

  /// Reads all presets of a file; `/dev/stdin` is allowed.
  ///
  /// Names that appear twice get a number. Throws ``MediaError`` if the file cannot be read, is not JSON or has no
  /// preset.
  public static func presets(inFile path: String) throws(MediaError) -> [ImportedPreset] {
    try presets(in: try TextFile.read(path, called: "preset of HandBrake"), file: path)
  }

  static func presets(in text: String, file: String) throws(MediaError) -> [ImportedPreset] {
    let document = try JSONReader.read(text, file: file)
    var found: [(JSON, [String])] = []
    // A file has a list with a version, a list alone, or one preset.
    let list = document["PresetList"] ?? document
    collect(list.elements.isEmpty ? [list] : list.elements, in: [], to: &found)
    guard !found.isEmpty else {
      throw MediaError(
        .malformed,
        "no preset of HandBrake: an object with PresetName and VideoEncoder is expected",
        file: file)
    }
    guard found.count <= maximumCount else {
      throw MediaError(
        .limitExceeded, "there are \(found.count) presets; at most \(maximumCount) are expected",
        file: file)
    }
    var used: Set<String> = []
    return found.map { preset, folders in
      var converter = HandBrakeConverter(preset)
      var result = converter.converted(folders: folders) { wanted in
        var (name, number) = (wanted, 2)
        while !used.insert(name.lowercased()).inserted {
          name = "\(wanted)-\(number)"
          number += 1
        }
        return name
      }
      result.folders = folders
      return result
    }
  }

  private static func collect(
    _ values: [JSON], in folders: [String], to found: inout [(JSON, [String])]
  ) {
    for value in values {
      if value["Folder"]?.isTrue == true {
        let name = value["PresetName"]?.string ?? ""
        collect(value["ChildrenArray"]?.elements ?? [], in: folders + [name], to: &found)
      } else if value["PresetName"]?.string != nil, value["VideoEncoder"]?.string != nil {
        found.append((value, folders))
      }
    }
  }
}
