/* JSON values read. */
#include "check.h"

static const char OBJECT[] = "{\"text\":\"a\\n\\u00e9\\ud83d\\ude00\",\"plain\":\"bc\",\"half\":\"\\ud800\",\"n\":23.75,\"i\":-42,"
                             "\"big\":9223372036854775808,\"one\":1.0,\"t\":true,\"f\":false,\"nothing\":null,\"a\":[1,{}],"
                             "\"o\":{\"x\":1},\"tw\\u0069ce\":1,\"twice\":2}";

static barewire_status decode_text(void *buffer, size_t size, size_t *length)
{
    return barewire_get_string(T(OBJECT), T("text"), buffer, size, length);
}

static barewire_status decode_plain(void *buffer, size_t size, size_t *length)
{
    return barewire_string_decode(T(" \"bc\" "), buffer, size, length);
}

static barewire_status decode_empty(void *buffer, size_t size, size_t *length)
{
    return barewire_string_decode(T("\"\""), buffer, size, length);
}

static void test_strings(void)
{
    char buffer[32];
    size_t length = 77;
    CHECK_WRITER(decode_text, "a\n\xc3\xa9\xf0\x9f\x98\x80");
    CHECK_WRITER(decode_plain, "bc");
    CHECK_STATUS(barewire_get_string(T(OBJECT), T("half"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_SURROGATE);
    CHECK_STATUS(barewire_get_string(T(OBJECT), T("half"), NULL, 0, &length), BAREWIRE_ERROR_SURROGATE);
    CHECK_STATUS(barewire_get_string(T(OBJECT), T("n"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_get_string(T(OBJECT), T("none"), buffer, sizeof buffer, &length), BAREWIRE_NONE);
    CHECK_STATUS(barewire_get_string(T(OBJECT), T("twice"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_REPEATED);
    CHECK_STATUS(barewire_string_decode(T("1"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_string_decode(T("\"\\u12\""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_string_decode(T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_string_decode(null_text(), buffer, sizeof buffer, &length), BAREWIRE_ERROR_NULL);
    CHECK(length == 77);
    strcpy(buffer, "\"\\n\"");
    CHECK_STATUS(barewire_string_decode(T(buffer), buffer, sizeof buffer, &length), BAREWIRE_ERROR_OVERLAP);
    CHECK_STATUS(decode_empty(NULL, 0, &length), BAREWIRE_OK);
    CHECK(length == 0);
    /* A NUL is a character. */
    CHECK_STATUS(barewire_string_decode(T("\"a\\u0000b\""), buffer, sizeof buffer, &length), BAREWIRE_OK);
    CHECK(length == 3 && memcmp(buffer, "a\0b", 3) == 0);

    CHECK_STATUS(barewire_string_equals(T("\"\\u0061\""), T("a")), BAREWIRE_OK);
    CHECK_STATUS(barewire_string_equals(T("\"a\""), T("b")), BAREWIRE_NONE);
    CHECK_STATUS(barewire_string_equals(T("\"\\ud800\""), T("\\ud800")), BAREWIRE_NONE);
    CHECK_STATUS(barewire_string_equals(T("\"\""), T(NULL)), BAREWIRE_OK);
    CHECK_STATUS(barewire_string_equals(T("a"), T("a")), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_string_equals(T("1"), T("1")), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_string_equals(T("\"a\""), broken_text()), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_string_equals(T("\"a\""), null_text()), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_string_equals(endless_text(), T("a")), BAREWIRE_ERROR_LENGTH);
}

static void test_numbers(void)
{
    int64_t value = 99;
    bool flag = false;
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("i"), &value), BAREWIRE_OK);
    CHECK(value == -42);
    value = 99;
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("n"), &value), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("one"), &value), BAREWIRE_OK);
    CHECK(value == 1);
    value = 99;
    CHECK_STATUS(barewire_get_integer(T("{\"a\":50e-1}"), T("a"), &value), BAREWIRE_OK);
    CHECK(value == 5);
    value = 99;
    CHECK_STATUS(barewire_get_integer(T("{\"a\":5e-1}"), T("a"), &value), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_get_integer(T("{\"a\":1e-99999999999999999999}"), T("a"), &value), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_get_integer(T("{\"a\":9223372036854775808.0}"), T("a"), &value), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("big"), &value), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("t"), &value), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("none"), &value), BAREWIRE_NONE);
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("twice"), &value), BAREWIRE_ERROR_REPEATED);
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("i"), NULL), BAREWIRE_ERROR_NULL);
    CHECK(value == 99);

    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("n"), 2, &value), BAREWIRE_OK);
    CHECK(value == 2375);
    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("one"), 0, &value), BAREWIRE_OK);
    CHECK(value == 1);
    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("i"), 3, &value), BAREWIRE_OK);
    CHECK(value == -42000);
    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("n"), 1, &value), BAREWIRE_ERROR_INEXACT);
    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("n"), 255, &value), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("text"), 1, &value), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("none"), 1, &value), BAREWIRE_NONE);
    CHECK_STATUS(barewire_get_fixed(T(OBJECT), T("n"), 2, NULL), BAREWIRE_ERROR_NULL);

    CHECK_STATUS(barewire_get_boolean(T(OBJECT), T("t"), &flag), BAREWIRE_OK);
    CHECK(flag);
    CHECK_STATUS(barewire_get_boolean(T(OBJECT), T("f"), &flag), BAREWIRE_OK);
    CHECK(!flag);
    CHECK_STATUS(barewire_get_boolean(T(OBJECT), T("nothing"), &flag), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_get_boolean(T(OBJECT), T("none"), &flag), BAREWIRE_NONE);
    CHECK_STATUS(barewire_get_boolean(T(OBJECT), T("t"), NULL), BAREWIRE_ERROR_NULL);
}

void test_values(void)
{
    static const struct {
        const char *name;
        int32_t kind;
        const char *text;
    } members[] = {
        {"nothing", BAREWIRE_JSON_NULL, "null"},      {"t", BAREWIRE_JSON_BOOLEAN, "true"},
        {"n", BAREWIRE_JSON_NUMBER, "23.75"},         {"plain", BAREWIRE_JSON_STRING, "\"bc\""},
        {"a", BAREWIRE_JSON_ARRAY, "[1,{}]"},         {"o", BAREWIRE_JSON_OBJECT, "{\"x\":1}"},
    };
    barewire_text value;
    int32_t kind;
    int64_t places[2];
    size_t i;
    for (i = 0; i < sizeof members / sizeof *members; i++) {
        CHECK_STATUS(barewire_get(T(OBJECT), T(members[i].name), &value), BAREWIRE_OK);
        CHECK_TEXT(value, members[i].text);
        CHECK_STATUS(barewire_json_kind(value, &kind), BAREWIRE_OK);
        CHECK(kind == members[i].kind);
    }
    kind = 55;
    value = T("kept");
    CHECK_STATUS(barewire_json_kind(T("tru"), &kind), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_json_kind(T("1"), NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_json_kind(broken_text(), &kind), BAREWIRE_ERROR_JSON);
    CHECK(kind == 55);
    CHECK_STATUS(barewire_get(T(OBJECT), T("none"), &value), BAREWIRE_NONE);
    CHECK_STATUS(barewire_get(T(OBJECT), T("twice"), &value), BAREWIRE_ERROR_REPEATED);
    CHECK_STATUS(barewire_get(T("[]"), T("a"), &value), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_get(T("{\"a\":1"), T("a"), &value), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_get(T(""), T("a"), &value), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_get(T(OBJECT), broken_text(), &value), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_get(T(OBJECT), null_text(), &value), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_get(null_text(), T("a"), &value), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_get(endless_text(), T("a"), &value), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_get(T(OBJECT), T("a"), NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_get_integer(T(OBJECT), T("i"), (int64_t *)(void *)((char *)places + 1)), BAREWIRE_ERROR_ALIGNMENT);
    CHECK_TEXT(value, "kept");
    test_strings();
    test_numbers();
}
