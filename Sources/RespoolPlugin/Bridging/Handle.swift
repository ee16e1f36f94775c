import CRespool
import RespoolMedia

/// Conversion of a plugin's object to the opaque pointer that the host holds.
///
/// The pointer holds one reference, which `release` drops.
///
/// The tables are not generic, because a C function pointer cannot carry a type parameter: every handle
/// of one kind is the same box class, which holds the author's object as an existential.
enum Handle {
  static func passing(_ object: AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(object).toOpaque())
  }

  /// Returns the object of a handle, which `passing` must have made for the same class and which must be unreleased.
  static func object<T: AnyObject>(_ handle: OpaquePointer, as _: T.Type) -> T {
    Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  static func release(_ handle: OpaquePointer) {
    Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(handle)).release()
  }
}

/// The plugin's type that a factory's table creates when it opens.
///
/// The context pointer of the factory refers to it. It is never freed.
final class FactoryContext<Metatype> {
  let type: Metatype
  private let table: (id: String, pointer: UnsafeRawPointer)?

  private init(_ type: Metatype, table: (id: String, pointer: UnsafeRawPointer)?) {
    self.type = type
    self.table = table
  }

  /// Returns a context for a type and its extension, which lives as long as the context.
  static func pointer(
    _ type: Metatype, table: (id: String, pointer: UnsafeRawPointer)? = nil
  ) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(FactoryContext(type, table: table)).toOpaque()
  }

  private static func context(of factory: UnsafePointer<rsp_factory>) -> FactoryContext? {
    factory.pointee.context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Returns the type of a factory; throws only if the table was changed after the plugin returned it.
  static func type(of factory: UnsafePointer<rsp_factory>) throws(MediaError) -> Metatype {
    guard let context = context(of: factory) else {
      throw MediaError(.internal, "the factory has lost its context")
    }
    return context.type
  }

  /// Returns the extension of a factory; `nil` if it has none with this name.
  static func table(of factory: UnsafePointer<rsp_factory>, id: UnsafePointer<CChar>)
    -> UnsafeRawPointer?
  {
    guard let table = context(of: factory)?.table, table.id == String(cString: id) else {
      return nil
    }
    return table.pointer
  }
}

/// Runs `body` and stores an error that it throws in the caller's record.
func reporting(
  to record: UnsafeMutablePointer<rsp_error>, _ body: () throws(MediaError) -> rsp_status
) -> rsp_status {
  do throws(MediaError) {
    return try body()
  } catch {
    return error.report(to: record)
  }
}

extension Feeding {
  var status: rsp_status {
    switch self {
    case .accepted: rsp_status(RSP_OK)
    case .full: rsp_status(RSP_AGAIN)
    }
  }
}
