import ArgumentParser
import Respool
import RespoolMedia

/// File formats for thumbnails.
enum ImageFileFormat: String, ExpressibleByArgument, CaseIterable {
  case png, jpg

  /// The format of an output by its extension; `nil` for another extension.
  init?(output: String) {
    switch FileName.splitExtension(FileName.last(output)).extension {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpg
    default: return nil
    }
  }

  /// Makes the file of a 24-bit RGB image.
  func bytes(_ image: PixelBuffer, _ registry: PluginRegistry) throws(MediaError) -> [UInt8] {
    switch self {
    case .png: try PNGWriter.bytes(image)
    case .jpg: try JPEGWriter.bytes(image, registry: registry)
    }
  }
}
