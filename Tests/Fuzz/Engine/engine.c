// What libFuzzer calls with each input: the target that the environment variable PLUMB_FUZZ names, or the defect that
// shows that one would be found.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In Tests/Fuzz/Targets. 0 where everything holds, 1 where something does not, which is printed; 2 for an unknown name.
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  const char *name = getenv("PLUMB_FUZZ") ? getenv("PLUMB_FUZZ") : "";
  int32_t result = strcmp(name, "planted") == 0 ? planted(bytes, count) : plumb_fuzz(name, bytes, count);
  if (result == 2)
    exit(64);
  if (result != 0) {
    fflush(NULL);
    abort();
  }
  return 0;
}
