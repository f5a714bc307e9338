@_exported public import StreamLines
