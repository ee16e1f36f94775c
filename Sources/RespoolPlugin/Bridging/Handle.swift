import CRespool
import RespoolMedia

/// An object of the plugin as the opaque pointer that the host holds: one reference, dropped by
/// `release`.
///
/// The tables are not generic, because a C function pointer cannot carry a type parameter: every handle
/// of one kind is the same box class, which holds the author's object as an existential.
enum Handle {
  static func passing(_ object: AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(object).toOpaque())
  }

  /// The object behind a handle that `passing` made for the same class, not released yet.
  static func object<T: AnyObject>(_ handle: OpaquePointer, as _: T.Type) -> T {
    Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  static func release(_ handle: OpaquePointer) {
    Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(handle)).release()
  }
}

/// What a factory's table needs to open: the author's type.
///
/// It travels in the context pointer of the factory and is never freed.
final class FactoryContext<Metatype> {
  let type: Metatype

  init(_ type: Metatype) { self.type = type }

  static func pointer(_ type: Metatype) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(FactoryContext(type)).toOpaque()
  }

  /// Nil only where somebody changed the table.
  static func type(of factory: UnsafePointer<rsp_factory>) -> Metatype? {
    factory.pointee.context.map {
      Unmanaged<FactoryContext>.fromOpaque($0).takeUnretainedValue().type
    }
  }
}

/// Runs `body` and puts what it throws into the record of the caller.
func reporting(
  to record: UnsafeMutablePointer<rsp_error>, _ body: () throws(MediaError) -> rsp_status
) -> rsp_status {
  do throws(MediaError) {
    return try body()
  } catch {
    return error.report(to: record)
  }
}

extension MediaError {
  /// The factory's table was altered after the plugin handed it out.
  static let factoryWithoutContext = MediaError(.internal, "the factory has lost its context")
}

extension Feeding {
  var status: rsp_status {
    switch self {
    case .accepted: rsp_status(RSP_OK)
    case .full: rsp_status(RSP_AGAIN)
    }
  }
}
