/* Lines out of a byte stream. */
#include "check.h"

static barewire_framer framer;
static char memory[8];

static void push(const char *bytes, size_t expected)
{
    size_t taken = 99;
    CHECK_STATUS(barewire_framer_push(&framer, bytes, strlen(bytes), &taken), BAREWIRE_OK);
    CHECK(taken == expected);
}

static void expect(int32_t expected, const char *text)
{
    int32_t kind = 99;
    barewire_text line = {NULL, 1};
    CHECK_STATUS(barewire_framer_next(&framer, &kind, &line), BAREWIRE_OK);
    CHECK(kind == expected);
    CHECK_TEXT(line, text);
}

void test_lines(void)
{
    int32_t kind = 99;
    barewire_text line = {NULL, 0};
    size_t taken;
    barewire_framer blank;
    memset(&blank, 0, sizeof blank);
    memset(memory, 'x', sizeof memory);

    CHECK_STATUS(barewire_framer_init(NULL, memory, 8), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_init((barewire_framer *)(void *)((char *)&framer + 1), memory, 8), BAREWIRE_ERROR_ALIGNMENT);
    CHECK_STATUS(barewire_framer_init(&framer, NULL, 8), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_init(&framer, memory, 0), BAREWIRE_ERROR_TOO_SMALL);
    CHECK_STATUS(barewire_framer_init(&framer, memory, (size_t)-1), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_framer_init(&framer, &framer.words[1], 8), BAREWIRE_ERROR_OVERLAP);
    CHECK_STATUS(barewire_framer_next(&blank, &kind, &line), BAREWIRE_ERROR_NOT_INITIALIZED);
    CHECK_STATUS(barewire_framer_push(&blank, "", 0, &taken), BAREWIRE_ERROR_NOT_INITIALIZED);
    CHECK_STATUS(barewire_framer_finish(&blank, &kind, &line), BAREWIRE_ERROR_NOT_INITIALIZED);
    CHECK_STATUS(barewire_framer_lost(&blank), BAREWIRE_ERROR_NOT_INITIALIZED);
    CHECK_STATUS(barewire_framer_reset(NULL), BAREWIRE_ERROR_NULL);

    CHECK_STATUS(barewire_framer_init(&framer, memory, 8), BAREWIRE_OK);
    expect(BAREWIRE_LINE_NEED_MORE, "");
    push("\xEF\xBB\xBF", 3);
    expect(BAREWIRE_LINE_NEED_MORE, "");
    push("ab\n\ncd", 6);
    expect(BAREWIRE_LINE_WHOLE, "ab");
    expect(BAREWIRE_LINE_WHOLE, "");
    expect(BAREWIRE_LINE_NEED_MORE, "");
    push("e\n", 2);
    expect(BAREWIRE_LINE_WHOLE, "cde");

    /* A line that is longer than the memory, in parts; the next one works. */
    CHECK_STATUS(barewire_framer_reset(&framer), BAREWIRE_OK);
    push("abcdefghij", 8);
    expect(BAREWIRE_LINE_PART, "abcdefgh");
    push("ij\nk\n", 5);
    expect(BAREWIRE_LINE_PART, "ij");
    expect(BAREWIRE_LINE_TOO_LONG, "");
    expect(BAREWIRE_LINE_WHOLE, "k");
    expect(BAREWIRE_LINE_NEED_MORE, "");

    /* A line with missing bytes. */
    push("ok\nxy", 5);
    CHECK_STATUS(barewire_framer_lost(&framer), BAREWIRE_OK);
    push("z\n", 2);
    expect(BAREWIRE_LINE_WHOLE, "ok");
    expect(BAREWIRE_LINE_LOST, "");
    expect(BAREWIRE_LINE_NEED_MORE, "");

    /* The end of the stream. */
    push("end", 3);
    expect(BAREWIRE_LINE_NEED_MORE, "");
    CHECK_STATUS(barewire_framer_finish(&framer, &kind, &line), BAREWIRE_OK);
    CHECK(kind == BAREWIRE_LINE_WHOLE);
    CHECK_TEXT(line, "end");
    CHECK_STATUS(barewire_framer_finish(&framer, &kind, &line), BAREWIRE_OK);
    CHECK(kind == BAREWIRE_LINE_NEED_MORE && line.length == 0);

    /* Pointers. */
    taken = 99;
    CHECK_STATUS(barewire_framer_push(&framer, NULL, 0, &taken), BAREWIRE_OK);
    CHECK(taken == 0);
    CHECK_STATUS(barewire_framer_push(&framer, NULL, 1, &taken), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_push(&framer, "a", (size_t)-1, &taken), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_framer_push(&framer, "a", 1, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_push(&framer, memory + 7, 1, &taken), BAREWIRE_ERROR_OVERLAP);
    CHECK_STATUS(barewire_framer_push(NULL, "a", 1, &taken), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_next(&framer, NULL, &line), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_next(&framer, &kind, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_next(NULL, &kind, &line), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_finish(NULL, &kind, &line), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_framer_lost(NULL), BAREWIRE_ERROR_NULL);
    CHECK(taken == 0);
    expect(BAREWIRE_LINE_NEED_MORE, "");
}
