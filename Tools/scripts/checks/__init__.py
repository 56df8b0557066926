"""The rules that SwiftPM does not check: one module for each, run by Tools/check."""
