// `import Plumb` is all that a program needs from the core: docs/decisions/0013-one-module-for-each-product.md.

@_exported public import FixedPoint
@_exported public import Gestures
@_exported public import HAL
@_exported public import Indication
@_exported public import Monitor
@_exported public import Orientation
@_exported public import Sensors
@_exported public import Vibration
