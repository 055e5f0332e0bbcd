/* Messages classified and written. */
#include "check.h"

static barewire_message classify(const char *frame, uint32_t rules)
{
    barewire_message message;
    memset(&message, 0x5A, sizeof message);
    CHECK_STATUS(barewire_classify(frame, strlen(frame), rules, &message), BAREWIRE_OK);
    return message;
}

static void test_kinds(void)
{
    barewire_message m = classify("{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"method\":\"tools\\/call\","
                                  "\"params\":{\"name\":\"led\",\"arguments\":{}}}",
                                  BAREWIRE_RULES_STRICT);
    CHECK(m.kind == BAREWIRE_REQUEST && m.reply == BAREWIRE_REPLY_ID && m.reason == BAREWIRE_REASON_NONE);
    CHECK(m.code == 0 && m.offset == SIZE_MAX);
    CHECK_TEXT(m.id, "\"a\\u0062\"");
    CHECK_TEXT(m.method, "\"tools\\/call\"");
    CHECK_STATUS(barewire_string_equals(m.method, T("tools/call")), BAREWIRE_OK);
    CHECK_TEXT(m.target, "\"led\"");
    CHECK_TEXT(m.params, "{\"name\":\"led\",\"arguments\":{}}");
    CHECK(m.result.length == 0 && m.error_message.length == 0 && m.error_data.length == 0 && m.reason_name.length == 0);

    m = classify(" {\"method\":\"\",\"jsonrpc\":\"2.0\"} ", BAREWIRE_RULES_STRICT);
    CHECK(m.kind == BAREWIRE_NOTIFICATION && m.reply == BAREWIRE_REPLY_NOBODY);
    CHECK_TEXT(m.method, "\"\"");
    CHECK(m.id.length == 0 && m.id.data == NULL && m.params.length == 0 && m.target.length == 0);

    m = classify("{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"result\":{\"a\":[]}}", BAREWIRE_RULES_STRICT);
    CHECK(m.kind == BAREWIRE_RESULT && m.reply == BAREWIRE_REPLY_NOBODY);
    CHECK_TEXT(m.id, "123456789012345678901234567890");
    CHECK_TEXT(m.result, "{\"a\":[]}");
    CHECK(m.method.length == 0);

    m = classify("{\"jsonrpc\":\"2.0\",\"id\":-7,\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":[1]}}",
                 BAREWIRE_RULES_STRICT);
    CHECK(m.kind == BAREWIRE_ERROR && m.reply == BAREWIRE_REPLY_NOBODY && m.code == -32601);
    CHECK_TEXT(m.id, "-7");
    CHECK_TEXT(m.error_message, "\"no\"");
    CHECK_TEXT(m.error_data, "[1]");

    m = classify("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}", BAREWIRE_RULES_STRICT);
    CHECK(m.kind == BAREWIRE_ERROR && m.id.length == 0 && m.error_data.length == 0);
}

static void test_rejections(void)
{
    static const struct {
        const char *frame;
        int32_t reason, reply, code;
        const char *name, *id;
    } cases[] = {
        {"", 1, 1, -32700, "not-json", ""},
        {"{", 1, 1, -32700, "not-json", ""},
        {"{\"a\":01}", 1, 1, -32700, "not-json", ""},
        {"\xff", 1, 1, -32700, "not-json", ""},
        {"[]", 4, 1, -32600, "batch", ""},
        {"7", 5, 1, -32600, "not-an-object", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"method\":\"b\"}", 6, 2, -32600, "repeated-member", "1"},
        {"{\"id\":1,\"method\":\"a\"}", 7, 2, -32600, "missing-version", "1"},
        {"{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"a\"}", 8, 2, -32600, "wrong-version", "\"x\""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", 9, 2, -32600, "method-not-a-string", "1"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", 10, 1, -32600, "invalid-id", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", 10, 1, -32600, "invalid-id", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}", 11, 2, -32600, "params-not-an-object", "1"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[]}", 11, 0, -32600, "params-not-an-object", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", 12, 2, -32600, "not-a-message", "1"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}", 13, 0, -32600, "result-and-error", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}", 14, 0, -32600, "result-not-an-object", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":[]}", 15, 0, -32600, "error-not-an-object", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"code\":1,\"message\":\"\"}}", 16, 0, -32600,
         "repeated-error-member", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"\"}}", 17, 0, -32600, "invalid-error-code", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":1}}", 18, 0, -32600, "invalid-error-message", ""},
        {"{\"jsonrpc\":\"2.0\",\"result\":{}}", 19, 0, -32600, "result-without-id", ""},
        {"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"\"}}", 20, 0, -32600, "error-without-id", ""},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        char answer[160], expected[160];
        size_t length = 1;
        barewire_status status;
        barewire_message m = classify(cases[i].frame, BAREWIRE_RULES_STRICT);
        if (!CHECK(m.kind == BAREWIRE_INVALID && m.reason == cases[i].reason && m.reply == cases[i].reply))
            printf("%s: kind %ld, reason %ld, reply %ld\n", cases[i].frame, (long)m.kind, (long)m.reason, (long)m.reply);
        CHECK(m.code == cases[i].code);
        CHECK_TEXT(m.reason_name, cases[i].name);
        CHECK_TEXT(m.id, cases[i].id);
        status = barewire_write_rejection(cases[i].frame, strlen(cases[i].frame), 0, answer, sizeof answer, &length);
        if (cases[i].reply == BAREWIRE_REPLY_NOBODY) {
            CHECK_STATUS(status, BAREWIRE_NONE);
            CHECK(length == 0);
        } else {
            barewire_text text;
            CHECK_STATUS(status, BAREWIRE_OK);
            sprintf(expected, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\"}}",
                    cases[i].id[0] == 0 ? "null" : cases[i].id, (int)cases[i].code,
                    cases[i].code == -32700 ? "Parse error" : "Invalid Request");
            text.data = answer;
            text.length = length;
            CHECK_TEXT(text, expected);
        }
    }
    {
        barewire_message m = classify("{\"a\":\n\x01}", BAREWIRE_RULES_STRICT);
        CHECK(m.reason == BAREWIRE_REASON_NOT_JSON && m.offset == 6);
    }
}

static void test_depth(void)
{
    /* 129 levels, and the id behind them: known to `write_rejection` only. */
    static char frame[512];
    char answer[128];
    size_t length;
    barewire_text text;
    barewire_message m;
    strcpy(frame, "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"x\":");
    memset(frame + strlen(frame), '[', 128);
    memset(frame + strlen(frame), ']', 128);
    strcat(frame, ",\"id\":9}");
    m = classify(frame, BAREWIRE_RULES_STRICT);
    CHECK(m.reason == BAREWIRE_REASON_TOO_DEEP && m.reply == BAREWIRE_REPLY_ID && m.id.length == 0);
    CHECK_STATUS(barewire_write_rejection(frame, strlen(frame), 0, answer, sizeof answer, &length), BAREWIRE_OK);
    text.data = answer;
    text.length = length;
    CHECK_TEXT(text, "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32700,\"message\":\"Message too deep\"}}");
}

static void test_rules(void)
{
    const char *null_params = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":null}";
    const char *array_params = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}";
    const char *without_id = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"\"}}";
    char answer[8];
    size_t length = 7;
    CHECK(classify(null_params, BAREWIRE_RULES_STRICT).kind == BAREWIRE_INVALID);
    CHECK(classify(null_params, BAREWIRE_RULES_NULL_PARAMS).kind == BAREWIRE_REQUEST);
    CHECK(classify(null_params, BAREWIRE_RULES_EMPTY_ARRAY_PARAMS).kind == BAREWIRE_INVALID);
    CHECK(classify(array_params, BAREWIRE_RULES_EMPTY_ARRAY_PARAMS).kind == BAREWIRE_REQUEST);
    CHECK(classify(without_id, BAREWIRE_RULES_ERROR_WITHOUT_ID).kind == BAREWIRE_ERROR);
    CHECK(classify(without_id, BAREWIRE_RULES_LENIENT).kind == BAREWIRE_ERROR);
    /* A message is owed no rejection, by the same rules. */
    CHECK_STATUS(barewire_write_rejection(null_params, strlen(null_params), BAREWIRE_RULES_LENIENT, answer, 8, &length),
                 BAREWIRE_NONE);
    CHECK(length == 0);
}

void test_messages(void)
{
    barewire_message m;
    unsigned char memory[sizeof m + 8];
    test_kinds();
    test_rejections();
    test_depth();
    test_rules();

    CHECK_STATUS(barewire_classify(NULL, 0, 0, &m), BAREWIRE_OK);
    CHECK(m.reason == BAREWIRE_REASON_NOT_JSON);
    CHECK_STATUS(barewire_classify(NULL, 1, 0, &m), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_classify("{}", (size_t)-1, 0, &m), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_classify("{}", 2, 8, &m), BAREWIRE_ERROR_FLAGS);
    CHECK_STATUS(barewire_classify("{}", 2, 0, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_classify("{}", 2, 0, (barewire_message *)(void *)(memory + ((uintptr_t)memory % 2 == 0))),
                 BAREWIRE_ERROR_ALIGNMENT);
}

/* The writers, with the arguments of the case that is being checked. */
static barewire_text id, method, params, message, data;
static const char *frame;

static barewire_status write_request(void *buffer, size_t size, size_t *length)
{
    return barewire_write_request(id, method, params, buffer, size, length);
}

static barewire_status write_notification(void *buffer, size_t size, size_t *length)
{
    return barewire_write_notification(method, params, buffer, size, length);
}

static barewire_status write_result(void *buffer, size_t size, size_t *length)
{
    return barewire_write_result(id, params, buffer, size, length);
}

static barewire_status write_error(void *buffer, size_t size, size_t *length)
{
    return barewire_write_error(id, -5, message, data, buffer, size, length);
}

static barewire_status write_rejection(void *buffer, size_t size, size_t *length)
{
    return barewire_write_rejection(frame, strlen(frame), BAREWIRE_RULES_STRICT, buffer, size, length);
}

void test_writers(void)
{
    char buffer[128];
    size_t length;
    id = T("\"a\\u0062\"");
    method = T("a\"b");
    params = T(" {\"x\" : 1} ");
    message = T("what\n");
    data = T("[1]");
    frame = "[]";
    CHECK_WRITER(write_request, "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"method\":\"a\\\"b\",\"params\":{\"x\":1}}");
    CHECK_WRITER(write_notification, "{\"jsonrpc\":\"2.0\",\"method\":\"a\\\"b\",\"params\":{\"x\":1}}");
    CHECK_WRITER(write_result, "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"result\":{\"x\":1}}");
    CHECK_WRITER(write_error,
                 "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"error\":{\"code\":-5,\"message\":\"what\\n\",\"data\":[1]}}");
    CHECK_WRITER(write_rejection, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\"}}");
    id = T("7");
    params = data = T("");
    CHECK_WRITER(write_request, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"a\\\"b\"}");
    CHECK_WRITER(write_notification, "{\"jsonrpc\":\"2.0\",\"method\":\"a\\\"b\"}");
    CHECK_WRITER(write_error, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-5,\"message\":\"what\\n\"}}");
    id = T(NULL);
    CHECK_WRITER(write_error, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-5,\"message\":\"what\\n\"}}");

    /* The id: a JSON string or integer, and only an error goes without. */
    CHECK_STATUS(barewire_write_result(T(""), T("{}"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_write_result(T("1.5"), T("{}"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_write_request(T("null"), T("a"), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_write_error(T("x"), 1, T("a"), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_write_error(T("1"), 1, T("a"), T("[1,]"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
    /* What must be an object. */
    CHECK_STATUS(barewire_write_result(T("1"), T("[]"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_write_result(T("1"), T("{}{}"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_write_request(T("1"), T("a"), T("1"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_write_notification(T("a"), T("null"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_KIND);
    /* Plain text. */
    CHECK_STATUS(barewire_write_notification(broken_text(), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_write_error(T("1"), 1, broken_text(), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_write_request(T("1"), broken_text(), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_write_result(T("1"), broken_text(), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
    /* Texts that are none. */
    CHECK_STATUS(barewire_write_result(null_text(), T("{}"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_write_result(T("1"), endless_text(), buffer, sizeof buffer, &length), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_write_request(T("1"), null_text(), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_write_request(T("1"), T("a"), null_text(), buffer, sizeof buffer, &length), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_write_notification(null_text(), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_write_error(T("1"), 1, null_text(), T(""), buffer, sizeof buffer, &length), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_write_error(T("1"), 1, T(""), endless_text(), buffer, sizeof buffer, &length),
                 BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_write_rejection(NULL, 1, 0, buffer, sizeof buffer, &length), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_write_rejection("[]", 2, 99, buffer, sizeof buffer, &length), BAREWIRE_ERROR_FLAGS);
    /* An answer over the frame that it answers. */
    strcpy(buffer, "[]");
    CHECK_STATUS(barewire_write_rejection(buffer, 2, 0, buffer, sizeof buffer, &length), BAREWIRE_ERROR_OVERLAP);
    strcpy(buffer + 100, "17");
    CHECK_STATUS(barewire_write_result(T(buffer + 100), T("{}"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_OVERLAP);
    CHECK_STATUS(barewire_write_result(T(buffer + 100), T("{}"), buffer, 100, &length), BAREWIRE_OK);
}
