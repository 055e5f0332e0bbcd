/* What the parts of the test share. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

#include "barewire.h"

extern int checks_failed;
extern int checks_passed;

#define CHECK(condition) check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_STATUS(call, expected) check_status((call), (expected), #call, __FILE__, __LINE__)
#define CHECK_TEXT(text, expected) check_text((text), (expected), #text, __FILE__, __LINE__)

int check(int good, const char *what, const char *file, int line);
int check_status(barewire_status status, barewire_status expected, const char *what, const char *file, int line);
int check_text(barewire_text text, const char *expected, const char *what, const char *file, int line);

/* A text of a literal or of a string that ends with NUL. */
barewire_text T(const char *string);
/* Texts that no function may accept: NULL with a length, and one longer than memory. */
barewire_text null_text(void);
barewire_text endless_text(void);
/* Not UTF-8. */
barewire_text broken_text(void);

/* Runs a writer with every size of buffer up to the one that is enough, and checks what it says and what it touches. */
typedef barewire_status (*writer)(void *buffer, size_t size, size_t *length);
void check_writer(writer write, const char *expected, const char *what, int line);
#define CHECK_WRITER(write, expected) check_writer((write), (expected), #write, __LINE__)

void test_messages(void);
void test_writers(void);
void test_values(void);
void test_lines(void);
void test_creation(void);
void test_sessions(void);
void test_deferred(void);
void test_hostile(void);

#endif
