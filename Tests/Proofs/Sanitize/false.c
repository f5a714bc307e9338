// The control of a false positive: a thread that ends with its own signal stack, which POSIX allows (sigaltstack).
// The address sanitizer mistakes it for one that it has mapped itself, and ends the program when it cannot unmap it.
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *thread(void *unused) {
  static _Thread_local char room[32768];
  stack_t spare = {.ss_sp = room, .ss_flags = 0, .ss_size = sizeof room};
  sigaltstack(&spare, NULL);
  return unused;
}

int main(void) {
  pthread_t made;
  return pthread_create(&made, NULL, thread, NULL) || pthread_join(made, NULL);
}
