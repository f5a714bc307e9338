@_exported public import FixedText
