// `import PlumbStream` is all that a client needs: forces, times and angles, and poses come with it.

@_exported public import FixedPoint
@_exported public import Orientation
