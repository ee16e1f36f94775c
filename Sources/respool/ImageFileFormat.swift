import ArgumentParser
import Respool
import RespoolMedia

/// File formats for thumbnails.
enum ImageFileFormat: String, ExpressibleByArgument, CaseIterable {
  case png, jpg

  /// Creates the format of an output from its extension; `nil` for another extension.
  init?(output: String) {
    switch PathName.splitExtension(PathName.last(output)).extension {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpg
    default: return nil
    }
  }

  /// Returns the file content for a 24-bit RGB image.
  func bytes(_ image: PixelBuffer, _ registry: PluginRegistry) throws(MediaError) -> [UInt8] {
    switch self {
    case .png: try PNGWriter.bytes(image)
    case .jpg: try JPEGWriter.bytes(image, registry: registry)
    }
  }
}
