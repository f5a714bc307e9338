// `import PlumbLinux`: Linux's I2C bus, lines and clock, the matrix of a Sense HAT, board files, boards opened from them,
// and the text type that board files use.

@_exported public import BoardFile
@_exported public import FixedText
@_exported public import IIO
@_exported public import LinuxHAL
@_exported public import OpenBoard
@_exported public import SenseHAT
@_exported public import Text
