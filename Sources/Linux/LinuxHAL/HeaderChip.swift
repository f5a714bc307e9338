internal import CSupport
public import Text

/// The GPIO chip of a Raspberry Pi's header, whose label depends on the model.
public enum HeaderChip {
  /// Stands for the label of the header's chip on any model.
  public static var anyModel: StaticString { "raspberry-pi" }

  /// Whether `label` is that of a header's chip on some model.
  public static func isLabelled(_ label: ShortText<32>) -> Bool {
    unsafe label.withCString { unsafe csupport_gpio_is_header($0) }
  }
}

extension ShortText {
  /// Appends the labels of all models' headers, as in "a, b or c", with the models in parentheses if requested.
  package mutating func appendHeaderLabels(withModels: Bool = false) {
    var index = 0
    while let label = unsafe csupport_gpio_header_label(index), let models = unsafe csupport_gpio_header_models(index) {
      let isLast = unsafe csupport_gpio_header_label(index &+ 1) == nil
      if index > 0 { append(isLast ? " or " : ", ") }
      append(unsafe ShortText<32>(cString: label))
      if withModels {
        append(" (")
        append(unsafe ShortText<32>(cString: models))
        append(")")
      }
      index &+= 1
    }
  }
}
