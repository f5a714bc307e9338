import Glibc

/// Does `work` as a whole: a signal that asks the program to stop (`SIGINT`, `SIGTERM`, `SIGHUP`) waits until it is done.
///
/// For what must not be left half done and never takes long, such as giving a finished file its name. Whoever opens what
/// may keep it waiting, such as a pipe, must not do it here.
func uninterrupted<Result>(_ work: () throws(ToolError) -> Result) throws(ToolError) -> Result {
  var stops = sigset_t()
  var before = sigset_t()
  unsafe sigemptyset(&stops)
  for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&stops, number) }
  // Neither call can fail: the numbers are valid.
  unsafe pthread_sigmask(SIG_BLOCK, &stops, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  return try work()
}
