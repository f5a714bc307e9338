// libFuzzer calls this with each input. It runs the target named in the environment variable PLUMB_FUZZ, or one of
// the planted defects that prove that the search finds them.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

// In Tests/Proofs/Fuzz/Targets. 0 if everything holds, 1 if something does not, which is printed; 2 for an unknown
// name.
int32_t plumb_fuzz(const char *name, const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// Fails for eight bytes that cannot be guessed at once: only a search that is guided towards each finds them.
static int32_t planted(const uint8_t *bytes, size_t count) {
  if (count < 8 || bytes[0] != 'p' || bytes[1] != 'l')
    return 0;
  if (bytes[2] != 'a' || bytes[3] != 'n')
    return 0;
  if (bytes[4] != 't' || bytes[5] != 'e')
    return 0;
  if (bytes[6] != 'd' || bytes[7] != '!')
    return 0;
  puts("fuzz: planted: eight bytes");
  return 1;
}

// Never ends for any input of four bytes.
static int32_t endless(size_t count) {
  for (volatile size_t length = count; length == 4;)
    continue;
  return 0;
}

// Seconds of processor time for one input, and for the endless one. libFuzzer's own limit is in wall-clock time,
// which passes while other programs of a busy computer run.
enum { LONGEST = 20, LONGEST_ENDLESS = 1 };

static void take_too_long(int number) {
  static const char words[] = "fuzz: one input takes more processor time than it may\n";
  (void)number;
  // libFuzzer keeps the input whether or not this can be written.
  ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
  (void)written;
  abort();
}

static void set_limit(int seconds) {
  static const struct sigaction action = {.sa_handler = take_too_long};
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  if (sigaction(SIGPROF, &action, NULL) != 0 || setitimer(ITIMER_PROF, &limit, NULL) != 0) {
    perror("fuzz: the time of an input cannot be limited");
    exit(70);
  }
}

static int32_t run(const char *name, const uint8_t *bytes, size_t count) {
  if (strcmp(name, "planted") == 0)
    return planted(bytes, count);
  if (strcmp(name, "endless") == 0)
    return endless(count);
  return plumb_fuzz(name, bytes, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  const char *name = getenv("PLUMB_FUZZ") ? getenv("PLUMB_FUZZ") : "";
  set_limit(strcmp(name, "endless") == 0 ? LONGEST_ENDLESS : LONGEST);
  int32_t result = run(name, bytes, count);
  if (result == 2)
    exit(64);
  if (result != 0) {
    fflush(NULL);
    abort();
  }
  return 0;
}
