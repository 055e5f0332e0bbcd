/* A test of every function of barewire.h. Compiled as C and as C++, for the host and for a Cortex-M4. */
#include "check.h"

int checks_failed = 0;
int checks_passed = 0;

int check(int good, const char *what, const char *file, int line)
{
    if (good) {
        checks_passed++;
    } else {
        checks_failed++;
        printf("%s:%d: %s\n", file, line, what);
    }
    return good;
}

int check_status(barewire_status status, barewire_status expected, const char *what, const char *file, int line)
{
    if (status != expected)
        printf("status %ld instead of %ld:\n", (long)status, (long)expected);
    return check(status == expected, what, file, line);
}

int check_text(barewire_text text, const char *expected, const char *what, const char *file, int line)
{
    int good = text.length == strlen(expected) && (text.length == 0 || memcmp(text.data, expected, text.length) == 0);
    if (!good)
        printf("%.*s\ninstead of\n%s\n", (int)text.length, text.data == NULL ? "" : text.data, expected);
    return check(good, what, file, line);
}

barewire_text T(const char *string)
{
    return barewire_text_of(string);
}

barewire_text null_text(void)
{
    barewire_text text = {NULL, 1};
    return text;
}

barewire_text endless_text(void)
{
    barewire_text text = {"x", (size_t)-1};
    return text;
}

barewire_text broken_text(void)
{
    static const barewire_text text = BAREWIRE_TEXT("\"\xff\"");
    return text;
}

void check_writer(writer write, const char *expected, const char *what, int line)
{
    static unsigned char memory[320];
    const size_t needed = strlen(expected);
    size_t size, length, i;
    int is_clean;
    if (!check(needed + 32 <= sizeof memory, what, "main.c", line))
        return;
    for (size = 0; size <= needed + 16; size++) {
        memset(memory, 0xA5, sizeof memory);
        length = 12345;
        if (size < needed) {
            check_status(write(memory + 8, size, &length), BAREWIRE_ERROR_TOO_SMALL, what, "main.c", line);
            check(length == needed, what, "main.c", line);
        } else {
            barewire_text written;
            check_status(write(memory + 8, size, &length), BAREWIRE_OK, what, "main.c", line);
            written.data = (const char *)memory + 8;
            written.length = length;
            check_text(written, expected, what, "main.c", line);
        }
        is_clean = 1;
        for (i = 0; i < 8; i++)
            is_clean &= memory[i] == 0xA5;
        for (i = 8 + size; i < sizeof memory; i++)
            is_clean &= memory[i] == 0xA5;
        check(is_clean, what, "main.c", line);
    }
    length = 0;
    check_status(write(NULL, 0, &length), needed == 0 ? BAREWIRE_OK : BAREWIRE_ERROR_TOO_SMALL, what, "main.c", line);
    check(length == needed, what, "main.c", line);
    check_status(write(NULL, 8, &length), BAREWIRE_ERROR_NULL, what, "main.c", line);
    check_status(write(memory, (size_t)-1, &length), BAREWIRE_ERROR_LENGTH, what, "main.c", line);
    check_status(write(memory, sizeof memory, NULL), BAREWIRE_ERROR_NULL, what, "main.c", line);
    check_status(write(memory, sizeof memory, (size_t *)(void *)(memory + 1)), BAREWIRE_ERROR_ALIGNMENT, what, "main.c", line);
    {
        /* The place for the length stands in the buffer. */
        static size_t shared[64];
        check_status(write(shared, sizeof shared, &shared[3]), BAREWIRE_ERROR_OVERLAP, what, "main.c", line);
    }
}

int main(void)
{
    test_messages();
    test_writers();
    test_values();
    test_lines();
    test_creation();
    test_sessions();
    test_deferred();
    test_hostile();
    printf("a server with 2 tools takes %lu bytes\n", (unsigned long)barewire_server_size(2));
    printf("%d passed, %d failed\n", checks_passed, checks_failed);
    return checks_failed == 0 ? 0 : 1;
}
