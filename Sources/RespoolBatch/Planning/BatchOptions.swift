/// What a batch is asked to do.
public struct BatchOptions: Sendable {
  /// Files and folders, as the user named them.
  public var inputs: [String]
  /// The folder that the outputs go to; made where it is missing.
  public var output: String
  /// Name or path of the preset.
  public var preset: String
  /// Conversions at a time; nil: what the cores allow.
  public var jobs: Int?
  public var onExists: OnExists = .skip
  public var onCollision: OnCollision = .fail
  /// Fails a file that loses a track, a chapter or a property, or whose source is not complete.
  public var strict = false
  /// Gives outputs the permissions and times of their sources.
  public var keepsAttributes = true
  /// Enters folders through symbolic links.
  public var followsLinks = false

  /// What to do with an output that is already there; `skip` makes it again if it is not up to date.
  public enum OnExists: String, Sendable, CaseIterable { case skip, replace, fail }
  /// What to do with inputs that would get the same output name.
  public enum OnCollision: String, Sendable, CaseIterable { case fail, rename }

  public init(inputs: [String], output: String, preset: String) {
    self.inputs = inputs
    self.output = output
    self.preset = preset
  }
}
