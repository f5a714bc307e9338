internal import CSupport
public import Text

/// The GPIO chip of a Raspberry Pi's header. Its label depends on the family of models.
public enum HeaderChip {
  /// In place of a label: the chip of the header, on any model.
  public static var anyModel: StaticString { "raspberry-pi" }

  /// Whether a chip labelled `label` is that of the header of any model.
  public static func isLabelled(_ label: ShortText<32>) -> Bool {
    unsafe label.withCString { unsafe csupport_gpio_is_header($0) }
  }
}

extension ShortText {
  /// Adds the labels of all models' headers, as in "a, b or c"; with the models in parentheses if requested.
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
