import ArgumentParser

/// A size as `WIDTHxHEIGHT`.
struct SizeArgument: ExpressibleByArgument {
  let width: Int
  let height: Int

  init?(argument: String) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      (1...32767).contains(width), (1...32767).contains(height)
    else { return nil }
    (self.width, self.height) = (width, height)
  }
}
