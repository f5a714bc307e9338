/// What was released.
public enum Release {
  /// The version of tool and daemon.
  public static var version: StaticString { "0.1.0" }
}
