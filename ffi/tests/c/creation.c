/* Servers that cannot be made, and functions that get none. */
#include "fixture.h"

static void refused(barewire_status expected, int line)
{
    barewire_server *made = NULL;
    check_status(barewire_server_init(server_memory(), server_memory_size(), &config, &made), expected, "init", __FILE__, line);
    check(made == NULL, "no server", __FILE__, line);
}
#define REFUSED(expected) refused((expected), __LINE__)

static void test_memory(void)
{
    barewire_server *made = NULL;
    char *memory = (char *)server_memory();
    const size_t exact = barewire_server_size(TOOLS);
    CHECK(exact <= server_memory_size() && exact <= BAREWIRE_SERVER_SIZE(TOOLS));
    CHECK(barewire_server_size(0) < exact && barewire_server_size((size_t)-1) == (size_t)-1);
    CHECK_STATUS(barewire_server_init(NULL, exact, &config, &made), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_init(memory + 4, exact, &config, &made), BAREWIRE_ERROR_ALIGNMENT);
    CHECK_STATUS(barewire_server_init(memory, exact - 1, &config, &made), BAREWIRE_ERROR_TOO_SMALL);
    CHECK_STATUS(barewire_server_init(memory, 0, &config, &made), BAREWIRE_ERROR_TOO_SMALL);
    CHECK_STATUS(barewire_server_init(memory, (size_t)-1, &config, &made), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_server_init(memory, exact, NULL, &made), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_init(memory, exact, (const barewire_config *)(const void *)((char *)&config + 1), &made),
                 BAREWIRE_ERROR_ALIGNMENT);
    CHECK_STATUS(barewire_server_init(memory, exact, &config, NULL), BAREWIRE_ERROR_NULL);
    CHECK(made == NULL);
    CHECK_STATUS(barewire_server_init(memory, exact, &config, &made), BAREWIRE_OK);
    CHECK(made != NULL);
}

static void test_config(void)
{
    const barewire_config good = config;
    config.input = NULL;
    REFUSED(BAREWIRE_ERROR_NULL);
    config = good;
    config.output = NULL;
    REFUSED(BAREWIRE_ERROR_NULL);
    config = good;
    config.input_size = 0;
    REFUSED(BAREWIRE_ERROR_TOO_SMALL);
    config = good;
    config.output_size = BAREWIRE_MIN_OUTPUT - 1;
    REFUSED(BAREWIRE_ERROR_TOO_SMALL);
    config = good;
    config.input_size = (size_t)-1;
    config.input = input + 1;
    REFUSED(BAREWIRE_ERROR_LENGTH);
    config = good;
    config.input = output;
    REFUSED(BAREWIRE_ERROR_OVERLAP);
    config = good;
    config.output = (char *)server_memory() + 128;
    REFUSED(BAREWIRE_ERROR_OVERLAP);
    config = good;
    config.flags = 64;
    REFUSED(BAREWIRE_ERROR_FLAGS);
    config = good;
    config.name = null_text();
    REFUSED(BAREWIRE_ERROR_NULL);
    config = good;
    config.version = broken_text();
    REFUSED(BAREWIRE_ERROR_UTF8);
    config = good;
    config.title = endless_text();
    REFUSED(BAREWIRE_ERROR_LENGTH);
    config = good;
    config.instructions = broken_text();
    REFUSED(BAREWIRE_ERROR_UTF8);
    config = good;
    config.tools = NULL;
    REFUSED(BAREWIRE_ERROR_NULL);
    config = good;
    config.tools = (const barewire_tool *)(const void *)((const char *)tools + 1);
    REFUSED(BAREWIRE_ERROR_ALIGNMENT);
    config = good;
    config.tool_count = (size_t)-1;
    REFUSED(BAREWIRE_ERROR_LENGTH);
    config = good;
}

static void test_tools(void)
{
    static char name[130];
    static const struct {
        const char *schema;
    } broken[] = {{"{"}, {"[]"}, {"{}"}, {"{\"type\":\"string\"}"}, {"{\"type\":\"object\",\"type\":\"object\"}"},
                  {"{\"x\":{\"type\":\"object\"}}"}, {"{\"type\":[\"object\"]}"}, {"\xff"}};
    barewire_tool table[TOOLS];
    size_t i;
    config.tools = table;
    memcpy(table, tools, sizeof table);
    for (i = 0; i < sizeof broken / sizeof *broken; i++) {
        table[1].input_schema = T(broken[i].schema);
        REFUSED(BAREWIRE_ERROR_SCHEMA);
        table[1].input_schema = T("{\"ty\\u0070e\":\"object\"}");
        table[2].output_schema = T(broken[i].schema);
        REFUSED(BAREWIRE_ERROR_SCHEMA);
        memcpy(table, tools, sizeof table);
    }
    table[5].name = T("echo");
    REFUSED(BAREWIRE_ERROR_TOOL_NAME);
    table[5].name = T("");
    REFUSED(BAREWIRE_ERROR_TOOL_NAME);
    table[5].name = T("with space");
    REFUSED(BAREWIRE_ERROR_TOOL_NAME);
    memset(name, 'a', 129);
    table[5].name = T(name);
    REFUSED(BAREWIRE_ERROR_TOOL_NAME);
    table[5].name = null_text();
    REFUSED(BAREWIRE_ERROR_NULL);
    table[5].name = broken_text();
    REFUSED(BAREWIRE_ERROR_UTF8);
    memcpy(table, tools, sizeof table);
    table[0].function = NULL;
    REFUSED(BAREWIRE_ERROR_NULL);
    memcpy(table, tools, sizeof table);
    table[0].hints = 16;
    REFUSED(BAREWIRE_ERROR_FLAGS);
    memcpy(table, tools, sizeof table);
    table[0].description = broken_text();
    REFUSED(BAREWIRE_ERROR_UTF8);
    memcpy(table, tools, sizeof table);
    table[0].title = null_text();
    REFUSED(BAREWIRE_ERROR_NULL);
    memcpy(table, tools, sizeof table);
    table[0].input_schema = null_text();
    REFUSED(BAREWIRE_ERROR_NULL);
    config.tools = tools;
}

static barewire_status no_answer(void *user, barewire_reply *reply)
{
    (void)user;
    (void)reply;
    return BAREWIRE_OK;
}

/* Every function that gets a server, with one that is none. */
static void without_server(barewire_server *none, barewire_status expected)
{
    barewire_text out;
    void *place;
    size_t size;
    CHECK_STATUS(barewire_server_output(none, &out), expected);
    CHECK_STATUS(barewire_server_sent(none, 0), expected);
    CHECK_STATUS(barewire_server_space(none, &place, &size), expected);
    CHECK_STATUS(barewire_server_received(none, 0), expected);
    CHECK_STATUS(barewire_server_receive(none, "a", 1, &size), expected);
    CHECK_STATUS(barewire_server_lost(none), expected);
    CHECK_STATUS(barewire_server_end_of_input(none), expected);
    CHECK_STATUS(barewire_server_reset(none), expected);
    CHECK_STATUS(barewire_server_answer(none, 0, no_answer, NULL), expected);
    CHECK_STATUS(barewire_server_progress(none, 0, 1, 1, T("")), expected);
    CHECK_STATUS(barewire_server_is_in_flight(none, 0), expected);
    CHECK_STATUS(barewire_server_set_tools(none, tools, TOOLS), expected);
    CHECK_STATUS(barewire_server_tools_changed(none), expected);
    CHECK_STATUS(barewire_server_end_streams(none), expected);
}

void test_creation(void)
{
    barewire_text out;
    void *place;
    size_t size, taken;
    start(0);
    test_memory();
    test_config();
    test_tools();
    without_server(NULL, BAREWIRE_ERROR_NULL);
    without_server((barewire_server *)(void *)((char *)server + 1), BAREWIRE_ERROR_ALIGNMENT);
    memset(server_memory(), 0, server_memory_size());
    without_server(server, BAREWIRE_ERROR_NOT_INITIALIZED);

    start(0);
    CHECK_STATUS(barewire_server_output(server, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_space(server, NULL, &size), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_space(server, &place, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_receive(server, NULL, 1, &taken), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_receive(server, "a", (size_t)-1, &taken), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_server_receive(server, "a", 1, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_receive(server, input + 3, 1, &taken), BAREWIRE_ERROR_OVERLAP);
    CHECK_STATUS(barewire_server_receive(server, NULL, 0, &taken), BAREWIRE_OK);
    CHECK(taken == 0);
    CHECK_STATUS(barewire_server_answer(server, 0, NULL, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_progress(server, 0, 1, 1, broken_text()), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_server_sent(server, 1), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_server_received(server, sizeof input + 1), BAREWIRE_ERROR_RANGE);
    CHECK_STATUS(barewire_server_set_tools(server, NULL, 1), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_server_output(server, &out), BAREWIRE_NONE);
}
