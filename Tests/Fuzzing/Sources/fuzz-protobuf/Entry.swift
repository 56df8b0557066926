/// Called by libFuzzer, which brings `main`, with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  examine(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
