/// The answer to a request.
public enum WebAnswer: Sendable {
  /// Bytes of a type such as `text/html; charset=utf-8`.
  case content([UInt8], type: String)
  /// A file that is open for reading, which the server closes, with its size in bytes.
  ///
  /// Without `isShown`, browsers store it instead.
  case file(Int32, size: Int, type: String, isShown: Bool)
  /// A status of RFC 9110 with a sentence for people.
  case failure(Status, String)

  public enum Status: Sendable { case badRequest, forbidden, notFound, unavailable }
}
