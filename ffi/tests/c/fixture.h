/* A server to test, and how to talk to it. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "check.h"

enum { TOOLS = 6, INPUT = 256, OUTPUT = 512 };

extern barewire_server *server;
extern barewire_config config;
extern char input[INPUT];
extern char output[OUTPUT];
extern const barewire_tool tools[TOOLS];
extern barewire_token last_token;
/* The events since `init`, a word for each. */
extern char events[256];

/* A fresh server. */
void start(uint32_t flags);
/* Sends bytes and returns all that the server answers, as a string that the next call overwrites. */
const char *talk(const char *bytes);
/* All output that is there. */
const char *drain(void);
#define EXPECT(bytes, answer) CHECK_TEXT(T(talk(bytes)), answer)

/* Memory of a server of all tools. */
void *server_memory(void);
size_t server_memory_size(void);

#endif
