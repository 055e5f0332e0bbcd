/* Calls that are answered later, and tables that change. */
#include "fixture.h"

#define DEFER(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"defer\"}}\n"
#define INITIALIZE                                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","          \
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n"                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"

#define DIGITS_50 "01234567890123456789012345678901234567890123456789"
#define DIGITS_150 DIGITS_50 DIGITS_50 DIGITS_50

static int answers_given;

static barewire_status answer(void *user, barewire_reply *reply)
{
    barewire_token token;
    answers_given++;
    CHECK_STATUS(barewire_reply_defer(reply, &token), BAREWIRE_ERROR_NOT_IN_FLIGHT);
    return barewire_reply_text(reply, T((const char *)user));
}

static barewire_status answer_deferred(void *user, barewire_reply *reply)
{
    (void)user;
    (void)reply;
    return BAREWIRE_DEFERRED;
}

static char late[] = "late";

static void test_late(void)
{
    barewire_text out;
    start(0);
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"defer\",\"_meta\":{"
           "\"progressToken\":9}}}\n",
           "");
    CHECK_STATUS(barewire_server_is_in_flight(server, last_token), BAREWIRE_OK);
    CHECK_STATUS(barewire_server_is_in_flight(server, last_token + 1), BAREWIRE_NONE);
    CHECK_STATUS(barewire_server_progress(server, last_token, 1, 3, T("a")), BAREWIRE_OK);
    /* That is to be sent first. */
    CHECK_STATUS(barewire_server_progress(server, last_token, 2, 3, T("a")), BAREWIRE_MORE);
    CHECK_STATUS(barewire_server_answer(server, last_token, answer, late), BAREWIRE_MORE);
    CHECK_STATUS(barewire_server_set_tools(server, tools, 1), BAREWIRE_MORE);
    CHECK_STATUS(barewire_server_tools_changed(server), BAREWIRE_MORE);
    CHECK_STATUS(barewire_server_end_streams(server), BAREWIRE_MORE);
    CHECK(answers_given == 0);
    CHECK_TEXT(T(drain()), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":9,"
                           "\"progress\":1,\"total\":3,\"message\":\"a\"}}\n");
    CHECK_STATUS(barewire_server_progress(server, last_token, 1, 3, T("")), BAREWIRE_NONE);
    CHECK_STATUS(barewire_server_answer(server, last_token + 1, answer, late), BAREWIRE_ERROR_NOT_IN_FLIGHT);
    CHECK(answers_given == 0);
    CHECK_STATUS(barewire_server_answer(server, last_token, answer, late), BAREWIRE_OK);
    CHECK(answers_given == 1);
    CHECK_TEXT(T(drain()), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late\"}],"
                           "\"isError\":false}}\n");
    CHECK_STATUS(barewire_server_answer(server, last_token, answer, late), BAREWIRE_ERROR_NOT_IN_FLIGHT);
    CHECK_STATUS(barewire_server_progress(server, last_token, 9, 0, T("")), BAREWIRE_ERROR_NOT_IN_FLIGHT);
    CHECK_STATUS(barewire_server_is_in_flight(server, last_token), BAREWIRE_NONE);
    CHECK_STATUS(barewire_server_output(server, &out), BAREWIRE_NONE);

    EXPECT(DEFER("2"), "");
    CHECK_STATUS(barewire_server_answer(server, last_token, answer_deferred, NULL), BAREWIRE_OK);
    CHECK_TEXT(T(drain()), "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}\n");
}

static void test_limits(void)
{
    start(0);
    /* More than 48 bytes of id are kept while there is room for them. */
    EXPECT(DEFER("\"" DIGITS_150 "a\""), "");
    EXPECT(DEFER("\"" DIGITS_150 "b\""), "{\"jsonrpc\":\"2.0\",\"id\":\"" DIGITS_150
                                         "b\",\"error\":{\"code\":-32603,\"message\":\"Request id too long\"}}\n");
    start(0);
    EXPECT(DEFER("1") DEFER("2") DEFER("3") DEFER("4"), "");
    EXPECT(DEFER("5"), "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32603,\"message\":\"Server busy\"}}\n");
    /* A tool that cannot defer may answer at once. */
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"defer\",\"arguments\":{"
           "\"at_once\":true}}}\n",
           "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"-18\"}],\"isError\":false}}\n");
    EXPECT(DEFER("1"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"Request id in use\"}}\n");
    /* A cancelled call is never answered. */
    EXPECT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":4}}\n", "");
    CHECK_TEXT(T(events), "cancelled ");
    CHECK_STATUS(barewire_server_answer(server, last_token, answer, late), BAREWIRE_ERROR_NOT_IN_FLIGHT);
    EXPECT(DEFER("7"), "");
    events[0] = 0;
    start(0);
    EXPECT(DEFER("8"), "");
    CHECK_STATUS(barewire_server_reset(server), BAREWIRE_OK);
    CHECK_TEXT(T(events), "cancelled ");
    CHECK_STATUS(barewire_server_is_in_flight(server, last_token), BAREWIRE_NONE);
}

static void test_changes(void)
{
    barewire_tool broken = tools[0];
    start(BAREWIRE_SERVER_TOOLS_CHANGE);
    CHECK(strstr(talk(INITIALIZE), "\"tools\":{\"listChanged\":true}") != NULL);
    CHECK_STATUS(barewire_server_set_tools(server, tools + 5, 1), BAREWIRE_OK);
    CHECK_STATUS(barewire_server_tools_changed(server), BAREWIRE_OK);
    CHECK_TEXT(T(drain()), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n");
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n",
           "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"nothing\",\"description\":\"\",\"inputSchema\":{"
           "\"type\":\"object\",\"additionalProperties\":false}}]}}\n");
    /* After an error there is no tool. */
    broken.name = T("no name");
    CHECK_STATUS(barewire_server_set_tools(server, &broken, 1), BAREWIRE_ERROR_TOOL_NAME);
    EXPECT("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}\n", "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}\n");
    CHECK_STATUS(barewire_server_set_tools(server, tools, (size_t)-1), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_server_set_tools(server, NULL, 0), BAREWIRE_OK);
    CHECK_STATUS(barewire_server_set_tools(server, tools, TOOLS), BAREWIRE_OK);
    CHECK_TEXT(T(drain()), "");
    {
        /* Memory for one tool takes one. */
        CHECK_STATUS(barewire_server_init(server_memory(), barewire_server_size(1), &config, &server), BAREWIRE_ERROR_TOO_SMALL);
        config.tool_count = 1;
        CHECK_STATUS(barewire_server_init(server_memory(), barewire_server_size(1), &config, &server), BAREWIRE_OK);
        CHECK_STATUS(barewire_server_set_tools(server, tools, 2), BAREWIRE_ERROR_TOO_SMALL);
        CHECK_STATUS(barewire_server_set_tools(server, tools + 1, 1), BAREWIRE_OK);
    }
}

#define MODERN                                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void test_streams(void)
{
    const char *told;
    start(BAREWIRE_SERVER_TOOLS_CHANGE);
    CHECK(strlen(talk("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{"
                      "\"toolsListChanged\":true}," MODERN "}}\n")) > 0);
    CHECK_STATUS(barewire_server_tools_changed(server), BAREWIRE_OK);
    told = drain();
    CHECK(strstr(told, "notifications/tools/list_changed") != NULL && strstr(told, "\"s\"") != NULL);
    CHECK_STATUS(barewire_server_end_streams(server), BAREWIRE_OK);
    told = drain();
    CHECK(strstr(told, "\"id\":\"s\",\"result\"") != NULL);
    CHECK_STATUS(barewire_server_tools_changed(server), BAREWIRE_OK);
    CHECK_TEXT(T(drain()), "");
}

void test_deferred(void)
{
    test_late();
    test_limits();
    test_changes();
    test_streams();
}
