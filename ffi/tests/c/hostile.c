/* What a hostile or noisy peer sends. */
#include "fixture.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
#define PONG "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"

static void test_long_lines(void)
{
    static char line[1200];
    start(0);
    /* The id stands behind what the input takes. */
    strcpy(line, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"x\":\"");
    memset(line + strlen(line), 'x', 1000);
    strcat(line, "\"},\"id\":\"far\"}\n");
    EXPECT(line, "{\"jsonrpc\":\"2.0\",\"id\":\"far\",\"error\":{\"code\":-32700,\"message\":\"Message too long\"}}\n");
    EXPECT(PING, PONG);
}

static void test_losses(void)
{
    start(0);
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"meth", "");
    CHECK_STATUS(barewire_server_lost(server), BAREWIRE_OK);
    EXPECT("ng\"}\n" PING, PONG);
    CHECK_TEXT(T(events), "lost ");
    /* A new client does not get what the one before was owed, nor the rest of its line. */
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,", "");
    CHECK_STATUS(barewire_server_reset(server), BAREWIRE_OK);
    EXPECT(PING, PONG);
}

static void test_noise(void)
{
    /* A simple generator: the same bytes on every machine. */
    uint32_t state = 1;
    unsigned rounds;
    start(BAREWIRE_SERVER_RESTART);
    for (rounds = 0; rounds < 400; rounds++) {
        char bytes[64];
        size_t length, taken, at = 0, i;
        barewire_text out;
        state = state * 1664525u + 1013904223u;
        length = (state >> 16) % sizeof bytes;
        for (i = 0; i < length; i++) {
            static const char likely[] = "{}[]\",:\\\n0123456789-.eEtruefalsn jsonrpc2idmethodparams\xff\x80\x01";
            state = state * 1664525u + 1013904223u;
            bytes[i] = likely[(state >> 16) % (sizeof likely - 1)];
        }
        while (at < length) {
            CHECK(barewire_server_receive(server, bytes + at, length - at, &taken) >= 0);
            at += taken;
            while (barewire_server_output(server, &out) == BAREWIRE_OK) {
                barewire_message message;
                CHECK(out.data[out.length - 1] == '\n');
                CHECK_STATUS(barewire_classify(out.data, out.length, 0, &message), BAREWIRE_OK);
                CHECK(message.kind != BAREWIRE_INVALID);
                CHECK_STATUS(barewire_server_sent(server, out.length), BAREWIRE_OK);
            }
        }
    }
    talk("\n");
    EXPECT(PING, PONG);
}

void test_hostile(void)
{
    static const char *const values[] = {"", "{", "\"", "[[[[", "{\"a\"", "{\"a\":1,}", "\"\\", "\"\\u", "-", "1e", "tru",
                                         "\xff", "{\"a\":\"\xc3\"}", "\x00", "{\"a\":1}{"};
    size_t i;
    for (i = 0; i < sizeof values / sizeof *values; i++) {
        char buffer[8];
        int64_t integer;
        int32_t kind;
        bool flag;
        size_t length;
        barewire_text value;
        const barewire_text text = T(values[i]);
        CHECK_STATUS(barewire_json_kind(text, &kind), BAREWIRE_ERROR_JSON);
        CHECK_STATUS(barewire_get(text, T("a"), &value), BAREWIRE_ERROR_JSON);
        CHECK_STATUS(barewire_get_integer(text, T("a"), &integer), BAREWIRE_ERROR_JSON);
        CHECK_STATUS(barewire_get_fixed(text, T("a"), 2, &integer), BAREWIRE_ERROR_JSON);
        CHECK_STATUS(barewire_get_boolean(text, T("a"), &flag), BAREWIRE_ERROR_JSON);
        CHECK_STATUS(barewire_get_string(text, T("a"), buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
        CHECK_STATUS(barewire_string_decode(text, buffer, sizeof buffer, &length), BAREWIRE_ERROR_JSON);
        CHECK_STATUS(barewire_string_equals(text, T("a")), BAREWIRE_ERROR_JSON);
    }
    test_long_lines();
    test_losses();
    test_noise();
}
