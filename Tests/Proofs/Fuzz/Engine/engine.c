// What libFuzzer calls with each input: the target that the environment variable PLUMB_FUZZ names, or one of the
// defects that show that such would be found.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

// In Tests/Proofs/Fuzz/Targets. 0 where everything holds, 1 where something does not, which is printed; 2 for an
// unknown name.
int32_t plumb_fuzz(const char *name, const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// Fails with eight bytes that are not guessed at once: only a search that sees each come nearer finds them.
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

// Never ends with any input of four bytes.
static int32_t endless(size_t count) {
  for (volatile size_t length = count; length == 4;)
    continue;
  return 0;
}

// Seconds of processor time for one input, and for the endless one. libFuzzer's own limit is of the clock on the wall,
// which goes on while the other programs of a busy machine have their turn.
enum { LONGEST = 20, LONGEST_ENDLESS = 1 };

static void take_too_long(int number) {
  static const char words[] = "fuzz: one input takes more processor time than it may\n";
  (void)number;
  // Whether it can be written or not, libFuzzer keeps the input.
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
