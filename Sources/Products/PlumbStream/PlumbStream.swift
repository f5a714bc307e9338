// `import PlumbStream` is all that a client needs: it includes forces, times, angles and poses.

@_exported public import FixedPoint
@_exported public import FixedText
@_exported public import Gestures
@_exported public import HAL
@_exported public import Indication
@_exported public import Monitor
@_exported public import Orientation
@_exported public import Sensors
@_exported public import StreamCodec
@_exported public import Vibration
