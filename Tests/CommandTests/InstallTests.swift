import Foundation
import Glibc
import Testing

/// `make install` and `make uninstall` with placeholders for the built files, and the manual page.
@Suite struct InstallTests {
  private let folder = TemporaryFolder()

  /// Runs make with the PATH that sudo sets on Debian, which does not contain Swift.
  private func make(_ target: String, _ stage: String) throws -> Respool.Result {
    try Running(
      [
        "/usr/bin/make", "-C", Respool.package, target, "STAGE=\(folder(stage))",
        "PREFIX=\(folder("usr"))",
      ],
      environment: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      folder: nil
    ).wait()
  }

  @Test func `install only copies, and uninstall removes only what was copied`() throws {
    let files = ["bin/respool", "lib/respool/librespool-X.so", "share/man/man1/respool.1"]
    for file in files { try folder.add("notes.txt", as: "stage/" + file) }
    chmod(folder("stage/bin/respool"), 0o755)
    let installed = try make("install", "stage")
    #expect(installed.status == 0, "\(installed.errors)")
    for file in files {
      #expect(FileManager.default.fileExists(atPath: folder("usr/" + file)), "\(file)")
    }
    #expect(access(folder("usr/bin/respool"), X_OK) == 0)
    try folder.add("notes.txt", as: "usr/lib/respool/librespool-Mine.so")
    let removed = try make("uninstall", "stage")
    #expect(removed.status == 0, "\(removed.errors)")
    let left = TemporaryFolder.contents(of: folder("usr")).filter { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder("usr/" + name), isDirectory: &isFolder)
      return !isFolder.boolValue
    }
    #expect(left == ["lib/respool/librespool-Mine.so"])
  }

  @Test func `headers for plugins are found by pkg-config`() throws {
    let sdk = try Running(
      [Respool.package + "/.ci/sdk", folder("usr"), "1.2.3"], environment: Respool.environment,
      folder: nil
    ).wait()
    #expect(sdk.status == 0, "\(sdk.errors)")
    func answer(_ question: String) throws -> String {
      let result = try Running(
        ["/usr/bin/pkg-config", question, "respool"],
        environment: ["PKG_CONFIG_PATH=\(folder("usr/lib/pkgconfig"))"], folder: nil
      ).wait()
      #expect(result.status == 0, "\(result.errors)")
      return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #expect(try answer("--modversion") == "1.2.3")
    let flags = try answer("--cflags")
    let plugin = Respool.package + "/Plugins/Template/encoder/plugin.c"
    let compiled = try Running(
      ["/usr/bin/cc", "-fsyntax-only", "-Wall", "-Werror", flags, plugin],
      environment: Respool.environment, folder: nil
    ).wait()
    #expect(compiled.status == 0, "\(compiled.errors)")
  }

  @Test func `an installed copy makes plugins, and states what is missing`() throws {
    let installation = try Installation(["PCM", "Wave"])
    let new = ["plugins", "new", "Mine", "--encoder", "--cpp", "--into", installation.path("")]
    let bare = try installation.run(new)
    #expect(bare.status == 1)
    #expect(bare.errors.contains("the SDK is not installed: "), "\(bare.errors)")
    #expect(bare.errors.contains("install the package respool-dev"), "\(bare.errors)")
    let sdk = try Running(
      [Respool.package + "/.ci/sdk", installation.path(""), "1.2.3"],
      environment: Respool.environment, folder: nil
    ).wait()
    #expect(sdk.status == 0, "\(sdk.errors)")
    let made = try installation.run(new)
    #expect(made.status == 0, "\(made.errors)")
    let built = try Running(
      ["/usr/bin/make", "-C", installation.path("Mine"), "verify", "try", "install"],
      environment: Respool.environment + ["XDG_DATA_HOME=" + installation.path("home")], folder: nil
    ).wait()
    #expect(built.status == 0, "\(built.errors)")
    let plugin = installation.path("home/respool/plugins/librespool-Mine.so")
    #expect(FileManager.default.fileExists(atPath: plugin))
  }

  /// Such as the Swift runtime, which plugins in Swift need.
  @Test func `a library that a plugin lacks is taken from the installation`() throws {
    let installation = try Installation(["Wave"])
    let library = try CPlugin("stub.c", linking: ["-Wl,-soname,libstub-of-install.so.1"])
    let installed = installation.path("lib/respool/libstub-of-install.so.1")
    let plugin = try CPlugin(
      "unruly.c", defining: ["USES_STUB"], linking: [library.path, "-lpthread"])
    func status() throws -> String? {
      let listed = try installation.run(["plugins", "list", "--json"], plugin.environment).object()
      let plugins = try #require(listed["plugins"] as? [[String: Any]])
      return plugins.first { $0["path"] as? String == plugin.path }?["status"] as? String
    }
    #expect(try status() == "failed")
    try FileManager.default.moveItem(atPath: library.path, toPath: installed)
    #expect(try status() == "ok")
  }

  /// The packages of a stage whose command and plugin are placeholders.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-shlibdeps")))
  func `Debian packages keep the command apart from what plugins are built with`() throws {
    func run(_ arguments: [String]) throws -> String {
      let result = try Running(arguments, environment: Respool.environment, folder: nil).wait()
      try #require(result.status == 0, "\(arguments): \(result.output) \(result.errors)")
      return result.output
    }
    let stage = folder("stage")
    try folder.write(
      "#include <stdio.h>\nint main(void) { puts(\"1.2.3\"); return 0; }\n", as: "command.c")
    for file in [
      "share/man/man1/respool.1", "share/bash-completion/completions/respool",
      "share/zsh/site-functions/_respool", "share/fish/vendor_completions.d/respool.fish",
      "share/respool/presets/audio/wav.yaml", "bin/respool", "lib/respool/librespool-X.so",
    ] { try folder.write(".TH RESPOOL 1\n", as: "stage/" + file) }
    _ = try run([
      "/usr/bin/cc", "-s", "-pie", "-fPIE", "-o", stage + "/bin/respool", folder("command.c"),
    ])
    _ = try run([
      "/usr/bin/cc", "-s", "-shared", "-fPIC", "-o", stage + "/lib/respool/librespool-X.so",
      Respool.package + "/Tests/Fixtures/stub.c",
    ])
    _ = try run([Respool.package + "/.ci/sdk", stage, "1.2.3"])
    let packages = try run([Respool.package + "/.ci/deb", stage, folder("deb")])
      .split(separator: "\n").map(String.init)
    try #require(packages.count == 2)
    let files = try packages.map { try run(["/usr/bin/dpkg-deb", "-c", $0]) }
    let fields = try packages.map { try run(["/usr/bin/dpkg-deb", "-f", $0]) }
    let sdk = files[0].contains("/usr/include/") ? 0 : 1
    for name in [
      "include/respool/plugin.hpp", "share/respool/sdk/Package.swift", "share/pkgconfig",
    ] {
      #expect(files[sdk].contains("./usr/" + name), "\(name)")
      #expect(!files[1 - sdk].contains("./usr/" + name), "\(name)")
    }
    for name in ["bin/respool", "lib/respool/librespool-X.so", "share/man/man1/respool.1.gz"] {
      #expect(files[1 - sdk].contains("./usr/" + name), "\(name)")
      #expect(!files[sdk].contains("./usr/" + name), "\(name)")
    }
    #expect(fields[sdk].contains("Depends: respool (= 1.2.3)"), "\(fields[sdk])")
    #expect(fields[1 - sdk].contains("Depends: libc6"), "\(fields[1 - sdk])")
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/lintian") else { return }
    _ = try run(
      ["/usr/bin/lintian", "--allow-root", "--fail-on", "error"] + packages)
  }

  @Test func `install without a build gives advice`() throws {
    let result = try make("install", "nothing")
    #expect(result.status != 0)
    #expect(result.errors.contains("First, without sudo: make stage"), "\(result.errors)")
    #expect(folder.contents.isEmpty)
  }

  @Test func `the manual page has every command and option`() throws {
    let result = try Running(
      [Respool.package + "/.ci/manual", Respool.executable], environment: Respool.environment,
      folder: nil
    ).wait()
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    for command in HelpTests.commands where !command.isEmpty {
      #expect(result.output.contains(".SS respool \(command)\n"), "\(command)")
    }
    for option in ["\\-\\-on\\-collision <on\\-collision>", "\\-\\-overlay", "\\-\\-crossfade"] {
      #expect(result.output.contains("\n.B \(option)"), "\(option)")
    }
    #expect(result.output.contains(".TH RESPOOL 1 "))
  }
}
