package import CRespool
import Glibc
import RespoolMedia
import Synchronization

/// A plugin that has been opened in this process.
///
/// It is never closed, because a Swift image cannot be unloaded.
// Sendable: the plugin's tables are immutable and live until the process ends (plugin.h).
package struct LoadedPlugin: @unchecked Sendable {
  package let path: String
  /// Version of the ABI that the plugin was built with.
  package let abi: ABIVersion
  let info: UnsafePointer<rsp_plugin_info>

  /// Step of a plugin's loading that is about to run.
  ///
  /// After a crash, it names the place.
  package enum LoadingStep: UInt8 {
    case loading = 1, describing
    package var activity: String { self == .loading ? "loading" : "describing itself" }
  }

  private static let opened = Mutex<[String: Result<LoadedPlugin, PluginFailure>]>([:])

  /// Returns the plugin at `path`, which the first call in the process opens.
  ///
  /// Its `describe` runs once, so the lock is held while it does.
  package static func open(_ path: String) -> Result<LoadedPlugin, PluginFailure> {
    opened.withLock { opened in
      if let known = opened[path] { return known }
      let result = load(path) { _ in }
      opened[path] = result
      return result
    }
  }

  private static func load(
    _ path: String, _ enter: (LoadingStep) -> Void
  ) -> Result<LoadedPlugin, PluginFailure> {
    enter(.loading)
    let image: UnsafeMutableRawPointer
    switch openImage(path) {
    case .success(let opened): image = opened
    case .failure(let failure): return .failure(failure)
    }
    guard let symbol = dlsym(image, RSP_PLUGIN_SYMBOL) else { return .failure(.missingSymbol) }
    let size = Int(symbol.load(as: UInt32.self))
    let abi = ABIVersion(
      major: symbol.load(fromByteOffset: 4, as: UInt32.self),
      minor: symbol.load(fromByteOffset: 8, as: UInt32.self))
    // The major version is checked first: another one may have another size.
    guard abi.major == ABIVersion.host.major else { return .failure(.wrongABI(abi)) }
    guard size >= rsp_plugin_size_1_0 else {
      return .failure(
        .invalidStructure(
          "respool_plugin.struct_size is \(size); the minimum is \(rsp_plugin_size_1_0)"))
    }
    let plugin = symbol.assumingMemoryBound(to: rsp_plugin.self)
    if abi.minor > ABIVersion.host.minor {
      let least = plugin.pointee.least_host_minor
      guard (1...ABIVersion.host.minor).contains(least) else {
        return .failure(.newerABI(abi, needs: least > 0 ? min(least, abi.minor) : abi.minor))
      }
    }
    guard isSet(symbol, at: MemoryLayout<rsp_plugin>.offset(of: \.describe)) else {
      return .failure(.invalidStructure("respool_plugin.describe is NULL"))
    }
    enter(.describing)
    guard let info = plugin.pointee.describe(PluginHost.table) else { return .failure(.refused) }
    return .success(LoadedPlugin(path: path, abi: abi, info: info))
  }

  /// Opens an image.
  ///
  /// A library that it lacks is loaded from the folder of the installed plugins, which has the Swift runtime: a plugin
  /// in Swift works on a machine without Swift.
  private static func openImage(_ path: String) -> Result<UnsafeMutableRawPointer, PluginFailure> {
    var loaded: Set<String> = []
    while true {
      // dlopen would search for a name without a slash among the system's libraries.
      if let image = dlopen(path.contains("/") ? path : "./" + path, RTLD_NOW | RTLD_LOCAL) {
        return .success(image)
      }
      let message = dlerror().map { String(cString: $0) }
      guard let name = message.flatMap(missingLibrary), loaded.insert(name).inserted,
        Installation.folders.contains(where: { folder in
          let library = PluginSearchPath.parent(of: folder) + "/lib/respool/" + name
          return dlopen(library, RTLD_NOW | RTLD_LOCAL) != nil
        })
      else { return .failure(failure(ofLoading: path, message)) }
    }
  }

  /// Returns the library that is missing according to a message of the loader; `nil` for other messages.
  private static func missingLibrary(_ message: String) -> String? {
    guard let end = find(": cannot open shared object file", in: message) else { return nil }
    let name = String(message[..<end])
    return name.contains("/") ? nil : name
  }

  /// Opens and describes a plugin.
  ///
  /// For a process that nothing else depends on.
  package static func describe(_ path: String, _ enter: (LoadingStep) -> Void) -> PluginDescription
  {
    let before = Set(LibraryIdentity.loadedPaths())
    switch load(path, enter) {
    case .failure(let failure): return .fails(failure)
    case .success(let plugin):
      do throws(PluginProblem) {
        var statement = try plugin.statement()
        statement.libraries = LibraryIdentity.loadedPaths()
          .filter { !before.contains($0) && $0 != path }
          .compactMap { LibraryIdentity(ofFileAt: $0) }
        return .works(statement)
      } catch {
        return .fails(
          error.isStructural
            ? .invalidStructure(error.message) : .invalidDescription(error.message))
      }
    }
  }

  /// Returns the factory at `index` of the plugin's list; `nil` if there is none.
  package func factory(at index: Int) -> UnsafePointer<rsp_factory>? {
    guard index >= 0, index < Int(info.pointee.factory_count), let list = info.pointee.factories
    else { return nil }
    return list[index]
  }

  private static func failure(ofLoading path: String, _ message: String?) -> PluginFailure {
    guard let message else { return .cannotLoad("the loader gives no reason") }
    if find("Too many open files", in: message) != nil { return .tooFewFiles }
    if let name = missingLibrary(message) { return .missingLibrary(name) }
    for sign in ["undefined symbol: ", "symbol lookup error: "] {
      if let range = find(sign, in: message) {
        let name = message[message.index(range, offsetBy: sign.count)...]
        return .undefinedSymbol(String(name.prefix { $0 != "," && $0 != " " && $0 != "\t" }))
      }
    }
    for sign in ["failed to map segment", "annot allocate memory", "cannot create shared object"]
    where find(sign, in: message) != nil {
      return .noMemory(message)
    }
    let own = path + ": "
    return .cannotLoad(message.hasPrefix(own) ? String(message.dropFirst(own.count)) : message)
  }
}

/// Returns the start of `sign` in `text`; the standard library alone has no such search on Linux.
private func find(_ sign: String, in text: String) -> String.Index? {
  var rest = text[...]
  while !rest.isEmpty {
    if rest.hasPrefix(sign) { return rest.startIndex }
    rest = rest.dropFirst()
  }
  return nil
}

/// Returns `true` if the pointer field at `offset` is not NULL.
///
/// A field that the header declares nonnull may be NULL in a faulty plugin, and Swift must not read such a
/// value.
package func isSet(_ base: UnsafeRawPointer, at offset: Int?) -> Bool {
  guard let offset else { return false }
  return base.load(fromByteOffset: offset, as: UInt.self) != 0
}
