@_exported public import Text
