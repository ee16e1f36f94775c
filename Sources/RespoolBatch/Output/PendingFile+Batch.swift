import RespoolHost
import RespoolMedia

extension PendingFile {
  /// Gives the output of a file its name, as it was decided for the file that has the name.
  ///
  /// The caller syncs the folder. Throws `io`; the temporary file is then removed.
  func complete(of file: BatchFile) throws(MediaError) {
    switch file.replaced {
    case .none: try complete(replacing: false, syncingFolder: false)
    case .any: try complete(replacing: true, syncingFolder: false)
    case .known(let known): try complete(inPlaceOf: { known.isAt(file.output) })
    }
  }
}

extension BatchFile {
  /// Reason why the file at the output's path must stay; `nil` if it is to be replaced, or there is none.
  ///
  /// It may have been made or changed while the source was converted.
  var problemOfExistingOutput: String? {
    switch replaced {
    case .none: nil
    case .any: PendingFile.obstacle(at: output, inputs: []).map { "the output \($0)" }
    case .known(let known):
      fileExists(output) && !known.isAt(output) ? PendingFile.changedTarget : nil
    }
  }
}
