/* Whole sessions, of both eras. */
#include "fixture.h"

#define CALL(id, name, arguments)                                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\",\"arguments\":"    \
    arguments "}}\n"
#define TEXT(id, text, is_error)                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}],"         \
    "\"isError\":" is_error "}}\n"
#define ERROR(id, code, message)                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" message "\"}}\n"
#define INITIALIZE                                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","          \
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n"

static void test_legacy(void)
{
    start(0);
    EXPECT(INITIALIZE, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{"
                       "\"tools\":{}},\"serverInfo\":{\"name\":\"test\",\"version\":\"1\"}}}\n");
    EXPECT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n", "");
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    /* The list comes in pages: the output takes 512 bytes. */
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n",
           "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":["
           "{\"name\":\"echo\",\"title\":\"Echo\",\"description\":\"Says it.\",\"inputSchema\":{\"type\":\"object\","
           "\"properties\":{\"text\":{\"type\":\"string\"}}},\"annotations\":{\"readOnlyHint\":true,\"idempotentHint\":true}},"
           "{\"name\":\"measure\",\"description\":\"Measures.\",\"inputSchema\":{\"type\":\"object\","
           "\"additionalProperties\":false},\"outputSchema\":{\"type\":\"object\"}},"
           "{\"name\":\"refuse\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"}}],\"nextCursor\":\"3\"}}\n");
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"3\"}}\n",
           "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":["
           "{\"name\":\"misuse\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{"
           "\"destructiveHint\":true,\"openWorldHint\":true}},"
           "{\"name\":\"defer\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\"}},"
           "{\"name\":\"nothing\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false}}]}}\n");
    EXPECT(CALL("4", "echo", "{\"text\":\"h\\u00e9\\n\"}"), TEXT("4", "h\xc3\xa9\\n", "false"));
    EXPECT(CALL("\"a\\u0062\"", "echo", "{\"text\":7}"), TEXT("\"a\\u0062\"", "text must be a string", "true"));
    EXPECT(CALL("6", "echo", "{\"text\":\"0123456789012345678901234567890123456789\"}"), TEXT("6", "text is too long", "true"));
    EXPECT(CALL("7", "measure", "{}"),
           "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"-23.75\"},{\"type\":\"text\","
           "\"text\":\"7\"},{\"type\":\"text\",\"text\":\"{\\\"celsius\\\":23.75}\"}],\"isError\":false,"
           "\"structuredContent\":{\"celsius\":23.75}}}\n");
    EXPECT(CALL("8", "refuse", "{}"), ERROR("8", "77", "Not you"));
    EXPECT(CALL("9", "refuse", "{\"data\":true}"),
           "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":77,\"message\":\"Not you\",\"data\":{\"who\":1}}}\n");
    EXPECT(CALL("10", "nothing", "{}"), "{\"jsonrpc\":\"2.0\",\"id\":10,\"result\":{\"content\":[],\"isError\":false}}\n");
    EXPECT(CALL("11", "nothing", "{\"x\":1}"), TEXT("11", "Invalid arguments for nothing: x: is not known", "true"));
    EXPECT(CALL("12", "none", "{}"), ERROR("12", "-32602", "Unknown tool"));
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"resources/list\"}\n", ERROR("13", "-32601", "Method not found"));
    EXPECT(INITIALIZE, ERROR("0", "-32600", "Already initialized"));
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", "");
    CHECK_TEXT(T(events), "initialized=2025-06-18 notification response ");
}

static void test_modern(void)
{
    start(0);
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"nothing\",\"_meta\":{"
           "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n",
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[],\"isError\":false,\"_meta\":{"
           "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"test\",\"version\":\"1\"}}}}\n");
}

static void test_progress(void)
{
    start(0);
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"measure\",\"_meta\":{"
           "\"progressToken\":\"p\"}}}\n",
           "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\",\"progress\":1,"
           "\"total\":2,\"message\":\"half\"}}\n"
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"-23.75\"},{\"type\":\"text\","
           "\"text\":\"7\"},{\"type\":\"text\",\"text\":\"{\\\"celsius\\\":23.75}\"}],\"isError\":false,"
           "\"structuredContent\":{\"celsius\":23.75}}}\n");
}

static void test_misuse(void)
{
    start(0);
    EXPECT(CALL("1", "misuse", "{}"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"isError\":false}}\n");
    EXPECT(CALL("2", "misuse", "{\"mistake\":1}"), ERROR("2", "-32603", "Internal error"));
    EXPECT(CALL("3", "misuse", "{\"mistake\":2}"), ERROR("3", "-32603", "Internal error"));
    EXPECT(CALL("4", "misuse", "{\"mistake\":3}"), ERROR("4", "-32603", "Internal error"));
    EXPECT(CALL("5", "misuse", "{\"mistake\":4}"), ERROR("5", "-32603", "Internal error"));
    EXPECT(CALL("6", "misuse", "{\"mistake\":5}"), TEXT("6", "Result too large", "true"));
    CHECK_TEXT(T(events), "misuse ");
}

static void test_flags(void)
{
    start(BAREWIRE_SERVER_STRICT);
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n", ERROR("1", "-32600", "Not initialized"));
    start(BAREWIRE_SERVER_OMIT_UNREADABLE_ID);
    EXPECT("x\n", "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}\n");
    start(BAREWIRE_SERVER_SILENT);
    EXPECT("x\n", "");
    CHECK_TEXT(T(events), "rejected ");
    start(BAREWIRE_SERVER_LENIENT);
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    start(BAREWIRE_SERVER_RESTART);
    CHECK(strlen(talk(INITIALIZE)) > 100);
    CHECK(strlen(talk(INITIALIZE)) > 100);
    CHECK_TEXT(T(events), "initialized=2025-06-18 initialized=2025-06-18 ");
    /* Without a function for events, and without tools. */
    start(0);
    config.event = NULL;
    config.tools = NULL;
    config.tool_count = 0;
    config.title = T("Title");
    config.instructions = T("Use it.");
    CHECK_STATUS(barewire_server_init(server_memory(), server_memory_size(), &config, &server), BAREWIRE_OK);
    EXPECT("x\n" INITIALIZE,
           "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}\n"
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{"
           "\"name\":\"test\",\"title\":\"Title\",\"version\":\"1\"},\"instructions\":\"Use it.\"}}\n");
}

/* The server's own memory as the receive buffer, a byte at a time. */
static void test_space(void)
{
    const char *line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    void *place;
    size_t size;
    start(0);
    for (; *line != 0; line++) {
        CHECK_STATUS(barewire_server_space(server, &place, &size), BAREWIRE_OK);
        CHECK((char *)place >= input && (char *)place + size <= input + sizeof input && size > 0);
        *(char *)place = *line;
        CHECK_STATUS(barewire_server_received(server, 1), BAREWIRE_OK);
        CHECK_TEXT(T(drain()), "");
    }
    CHECK_STATUS(barewire_server_space(server, &place, &size), BAREWIRE_OK);
    CHECK_STATUS(barewire_server_received(server, size + 1), BAREWIRE_ERROR_RANGE);
    /* No newline, but the end. */
    CHECK_STATUS(barewire_server_end_of_input(server), BAREWIRE_OK);
    CHECK_TEXT(T(drain()), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n", "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    /* Nothing is sent, and no tool runs, before `output` was asked. */
    CHECK_STATUS(barewire_server_receive(server, "x\n", 2, &size), BAREWIRE_OK);
    CHECK_STATUS(barewire_server_sent(server, 1), BAREWIRE_ERROR_RANGE);
    CHECK_TEXT(T(events), "");
    CHECK(strlen(drain()) > 0);
    CHECK_TEXT(T(events), "rejected ");
}

static void test_batch(void)
{
    void *place;
    size_t size;
    barewire_text out;
    start(0);
    CHECK(strlen(talk("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\","
                      "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n")) > 100);
    CHECK_STATUS(barewire_server_receive(server,
                                         "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
                                         "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]\n",
                                         87, &size),
                 BAREWIRE_OK);
    CHECK(size == 87);
    CHECK_STATUS(barewire_server_output(server, &out), BAREWIRE_OK);
    /* The batch is still needed. */
    CHECK_STATUS(barewire_server_space(server, &place, &size), BAREWIRE_MORE);
    CHECK(size == 0);
    CHECK_STATUS(barewire_server_received(server, 1), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_server_receive(server, "a", 1, &size), BAREWIRE_MORE);
    CHECK(size == 0);
    CHECK_TEXT(T(drain()), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
}

void test_sessions(void)
{
    test_legacy();
    test_modern();
    test_progress();
    test_misuse();
    test_flags();
    test_space();
    test_batch();
}
