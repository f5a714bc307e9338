// Why a name was not resolved.
#ifndef CMQTT_RESOLVE_H
#define CMQTT_RESOLVE_H

// What Avahi's daemon said to this thread last, or why it could not be asked; empty for nothing.
const char *cmqtt_resolve_words(void);
void cmqtt_resolve_forget(void);

#endif
