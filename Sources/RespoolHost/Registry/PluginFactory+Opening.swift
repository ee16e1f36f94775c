package import CRespool
package import RespoolMedia

extension PluginFactory {
  /// Opens the plugin if it is not open yet and returns the factory's head.
  ///
  /// Throws `pluginFailure` if the file has changed and no longer has the described factory.
  package func opened() throws(MediaError) -> UnsafePointer<rsp_factory> {
    switch LoadedPlugin.open(plugin.path) {
    case .failure(let failure):
      var record = plugin
      (record.reason, record.advice) = (failure.reason, failure.advice)
      throw MediaError(.pluginFailure, record.disorder)
    case .success(let loaded):
      guard loaded.abi == plugin.abi, let factory = loaded.factory(at: index),
        factory.pointee.kind == description.kind.rawValue,
        String(cString: factory.pointee.name) == description.name
      else {
        throw MediaError(
          .pluginFailure,
          "the plugin \(plugin.name) has changed and no longer has the \(description.kind) "
            + description.name, cause: plugin.path)
      }
      return factory
    }
  }

  /// Returns the factory's extension named `id`, which is valid as long as the process; `nil` if it has none.
  package func `extension`<T: SizedStruct>(_ id: String, as _: T.Type) throws(MediaError)
    -> UnsafePointer<T>?
  {
    let head = try opened()
    guard let table = head.pointee.extension?(head, id) else { return nil }
    let size = table.load(as: UInt32.self)
    guard size >= T.firstSize else {
      throw MediaError(
        .pluginFailure,
        "the extension \(id) of \(label) has the struct_size \(size); the minimum is "
          + "\(T.firstSize)")
    }
    return table.assumingMemoryBound(to: T.self)
  }

  /// Returns an arena for structs that the plugin reads.
  func arena() -> CArena { CArena(readerMinor: plugin.abi?.minor ?? 0) }

  /// Returns the options to open a factory with: `options`, and the user's choices of others.
  ///
  /// Throws `invalidArgument` for an option that the schema does not contain or allow.
  func completed(_ options: [PluginOption]) throws(MediaError) -> [PluginOption] {
    try check(options)
    return options.completed(by: description.chosenOptions)
  }

  /// Throws `invalidArgument` for the first option that the schema does not contain or allow.
  package func check(_ options: [PluginOption]) throws(MediaError) {
    for option in options {
      guard let schema = description.options.first(where: { $0.name == option.name }) else {
        let names = description.options.map(\.name).sorted()
        throw MediaError(
          .invalidArgument,
          "\(description.name) has no option \"\(option.name)\"; "
            + (names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))"))
      }
      if let problem = schema.problem(with: option.value) {
        throw MediaError(.invalidArgument, "\(description.name): \(problem)")
      }
    }
  }

  /// Returns the error of a failed call: the plugin's own message, or `place` if it returned only a status.
  ///
  /// `refusal` is the code for `RSP_ERROR_ARGUMENT`: `invalidArgument` only if the call passed settings of the user. In
  /// other calls, the host chose the arguments. `RSP_ERROR_CANCELLED` is a failure of the plugin unless `isCancelled` is
  /// `true`.
  package func error(
    _ status: rsp_status, _ record: borrowing rsp_error, place: MediaError? = nil,
    file: String? = nil, isCancelled: Bool = false,
    refusal: MediaError.Code = .pluginFailure
  ) -> MediaError {
    if isCancelled { return MediaError(.cancelled, "stopped", file: file) }
    if status >= 0 {
      return MediaError(
        .pluginFailure, "\(label) returned the unknown status \(status)",
        file: file)
    }
    var error: MediaError
    if status == RSP_ERROR_IO, let place {
      error = place
    } else {
      error = MediaError(status: status, record: record)
      error.plugin = plugin.name
    }
    switch error.code {
    case .invalidArgument: error.code = refusal
    case .cancelled: error.code = .pluginFailure
    default: break
    }
    return file.map { error.inFile($0) } ?? error
  }
}

/// Returns a factory of a kind from a pointer to its head.
///
/// The size of the struct was checked when the plugin was described, before the head was returned.
package func factory<T>(_ head: UnsafePointer<rsp_factory>, as _: T.Type) -> UnsafePointer<T> {
  UnsafeRawPointer(head).assumingMemoryBound(to: T.self)
}
