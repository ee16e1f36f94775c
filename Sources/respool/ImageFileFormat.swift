import ArgumentParser
import Respool
import RespoolMedia

/// File formats for thumbnails.
enum ImageFileFormat: String, ExpressibleByArgument, CaseIterable {
  case png, jpg

  /// Creates the format of an output from its extension; `nil` for another extension.
  init?(output: String) {
    self.init(argument: PathName.splitExtension(PathName.last(output)).extension)
  }

  /// Creates the format of a name; `jpeg` is also accepted.
  init?(argument: String) { self.init(rawValue: argument == "jpeg" ? "jpg" : argument) }

  /// Returns the file content for a 24-bit RGB image.
  func encode(_ image: PixelBuffer, registry: PluginRegistry) throws(MediaError) -> [UInt8] {
    switch self {
    case .png: try PNGWriter.bytes(image)
    case .jpg: try JPEGWriter.bytes(image, registry: registry)
    }
  }
}
