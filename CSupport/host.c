#include "csupport_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int csupport_host_name(char *name, size_t size) {
  if (gethostname(name, size) < 0 && errno != ENAMETOOLONG)
    return -errno;
  name[size - 1] = '\0';
  return (int)strlen(name);
}

int csupport_host_credential(const char *path, char *credential, size_t size) {
  const char *folder = getenv("CREDENTIALS_DIRECTORY");
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  if (!folder || name[0] == '\0')
    return 0;
  int length = snprintf(credential, size, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= size)
    return -ENAMETOOLONG;
  FILE *file = fopen(credential, "re");
  if (!file)
    return 0;
  int first = getc(file);
  (void)fclose(file);
  return first == EOF || first == '\n' ? 0 : length;
}

bool csupport_host_is_public(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && (status.st_mode & S_IROTH) != 0;
}
