#include "cmqtt.h"

#include <MQTTAsync.h>
#include <string.h>

const char *cmqtt_version(void) {
  for (MQTTAsync_nameValue *entry = MQTTAsync_getVersionInfo(); entry->name; entry++)
    if (strcmp(entry->name, "Version") == 0)
      return entry->value;
  return "";
}
