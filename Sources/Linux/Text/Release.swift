/// The release.
public enum Release {
  /// The version of the tool and the daemon.
  public static var version: StaticString { "0.1.0" }
}
