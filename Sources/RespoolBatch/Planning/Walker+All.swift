extension Walker {
  /// Finds all files, and the files and folders that are left out.
  ///
  /// A file that lies in two inputs is found once.
  mutating func takeAll() -> (files: [Found], problems: [Problem]) {
    findDoubles()
    var files: [Found] = []
    while let group = next() { files += group.files }
    return (files, takeProblems())
  }
}
