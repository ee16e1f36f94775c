import Glibc
import Respool
import RespoolMedia

extension PluginsNew {
  /// The headers and the Swift package with which a plugin is built.
  struct SDK {
    let language: Language
    /// Folder of the package for Swift, else of `respool/plugin.h`.
    let folder: String

    /// Finds the SDK in `named`, or in the installation or source folder that the command belongs to.
    init(_ named: String?, for language: Language) throws(MediaError) {
      self.language = language
      let roots = named.map { [$0] } ?? Self.ownRoots
      let places = roots.flatMap { root in
        let root = Self.absolute(root)
        return language == .swift
          ? ["\(root)/share/respool/sdk", "\(root)/Sources"]
          : ["\(root)/include", "\(root)/Sources/CRespool/include"]
      }
      let file = language == .swift ? "Package.swift" : "respool/helpers.h"
      guard let found = places.first(where: { access("\($0)/\(file)", R_OK) == 0 }) else {
        guard let named else {
          throw MediaError(
            .io,
            "the SDK is not installed: \(places.first ?? "")/\(file) is missing; install the package respool-dev, "
              + "or name Respool's source folder with --sdk")
        }
        let missing = places.map { "\($0)/\(file)" }.joined(separator: " or ")
        throw MediaError(
          .invalidArgument,
          "the folder has no SDK: \(missing) is expected; name Respool's source folder, or the prefix in which it is "
            + "installed", file: named)
      }
      folder = found
    }

    /// Throws `io` if a program that builds the plugin is not installed.
    func checkTools() throws(MediaError) {
      let compiler =
        switch language {
        case .swift: ("swift", "install Swift 6.2 or later from swift.org, or use --c or --cpp")
        case .c: ("cc", "install the package gcc")
        case .cpp: ("c++", "install the package g++")
        }
      let tools = [("make", "install the package make"), compiler]
      for (program, advice) in tools where Self.program(program) == nil {
        throw MediaError(
          .io,
          "a plugin in \(language.title) is built with \(program), which is not on the PATH; \(advice)"
        )
      }
    }

    /// Prefix and source folder of the command.
    private static var ownRoots: [String] {
      let package = Installation.sharedFolder("sdk", source: "Sources").map {
        PluginSearchPath.parent(of: $0)
      }
      return Installation.folders.map { PluginSearchPath.parent(of: $0) }
        + [package].compactMap { $0 }
    }

    static func program(_ name: String) -> String? {
      guard let path = getenv("PATH") else { return nil }
      return String(cString: path).split(separator: ":").map { "\($0)/\(name)" }
        .first { access($0, X_OK) == 0 }
    }

    static func absolute(_ path: String) -> String {
      guard let resolved = realpath(path, nil) else { return path }
      defer { free(resolved) }
      return String(cString: resolved)
    }
  }
}

extension PluginsNew.Language {
  var title: String {
    switch self {
    case .swift: "Swift"
    case .c: "C"
    case .cpp: "C++"
    }
  }
}
