#include "fixture.h"

barewire_server *server;
barewire_config config;
char input[INPUT];
char output[OUTPUT];
barewire_token last_token;
char events[256];

static BAREWIRE_SERVER_MEMORY(memory, TOOLS);

void *server_memory(void)
{
    return &memory;
}

size_t server_memory_size(void)
{
    return sizeof memory;
}

/* Answers with the argument `text`. */
static barewire_status echo(void *user, const barewire_call *call, barewire_reply *reply)
{
    char text[32];
    barewire_text answer;
    barewire_status status = barewire_get_string(call->arguments, T("text"), text, sizeof text, &answer.length);
    CHECK(user == &config && call->index == 0);
    CHECK_TEXT(call->name, "echo");
    if (status == BAREWIRE_ERROR_TOO_SMALL)
        return barewire_reply_fail(reply, T("text is too long"));
    if (status != BAREWIRE_OK)
        return barewire_reply_fail(reply, T("text must be a string"));
    answer.data = text;
    return barewire_reply_text(reply, answer);
}

/* Every kind of content. */
static barewire_status measure(void *user, const barewire_call *call, barewire_reply *reply)
{
    (void)user;
    (void)call;
    CHECK_STATUS(barewire_reply_progress(reply, 1, 2, T("half")), call->wants_progress ? BAREWIRE_OK : BAREWIRE_NONE);
    CHECK_STATUS(barewire_reply_fixed(reply, -2375, 2), BAREWIRE_OK);
    CHECK_STATUS(barewire_reply_fixed(reply, 7, 0), BAREWIRE_OK);
    CHECK_STATUS(barewire_reply_progress(reply, 2, 0, T("")), BAREWIRE_NONE);
    return barewire_reply_json(reply, T("{\"celsius\" : 23.75}"));
}

/* Refuses, with data or without. */
static barewire_status refuse(void *user, const barewire_call *call, barewire_reply *reply)
{
    bool with_data = false;
    (void)user;
    barewire_get_boolean(call->arguments, T("data"), &with_data);
    CHECK_STATUS(barewire_reply_text(reply, T("never seen")), BAREWIRE_OK);
    return barewire_reply_refuse(reply, 77, T("Not you"), T(with_data ? "{\"who\":1}" : ""));
}

/* Makes every mistake, and then one of its own choice. */
static barewire_status misuse(void *user, const barewire_call *call, barewire_reply *reply)
{
    barewire_text out;
    void *place;
    size_t size;
    int64_t mistake = 0;
    union {
        uint64_t align;
        unsigned char bytes[16];
    } other;
    barewire_reply *odd = (barewire_reply *)(void *)(other.bytes + 1);
    (void)user;
    CHECK_STATUS(barewire_reply_text(NULL, T("a")), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_text(odd, T("a")), BAREWIRE_ERROR_ALIGNMENT);
    CHECK_STATUS(barewire_reply_text(reply, broken_text()), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_reply_text(reply, null_text()), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_text(reply, endless_text()), BAREWIRE_ERROR_LENGTH);
    CHECK_STATUS(barewire_reply_fixed(NULL, 1, 0), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_json(NULL, T("{}")), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_json(reply, T("[]")), BAREWIRE_ERROR_KIND);
    CHECK_STATUS(barewire_reply_json(reply, T("{")), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_reply_fail(NULL, T("a")), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_fail(reply, broken_text()), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_reply_refuse(NULL, 1, T("a"), T("")), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_refuse(reply, 1, broken_text(), T("")), BAREWIRE_ERROR_UTF8);
    CHECK_STATUS(barewire_reply_refuse(reply, 1, T("a"), T("nul")), BAREWIRE_ERROR_JSON);
    CHECK_STATUS(barewire_reply_defer(NULL, &last_token), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_defer(reply, NULL), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_progress(NULL, 1, 1, T("")), BAREWIRE_ERROR_NULL);
    CHECK_STATUS(barewire_reply_progress(reply, 1, 1, broken_text()), BAREWIRE_ERROR_UTF8);
    /* The server is at work. */
    CHECK_STATUS(barewire_server_output(server, &out), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_sent(server, 0), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_space(server, &place, &size), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_received(server, 0), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_receive(server, "a", 1, &size), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_lost(server), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_end_of_input(server), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_reset(server), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_progress(server, 0, 1, 1, T("")), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_is_in_flight(server, 0), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_set_tools(server, NULL, 0), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_tools_changed(server), BAREWIRE_ERROR_IN_USE);
    CHECK_STATUS(barewire_server_end_streams(server), BAREWIRE_ERROR_IN_USE);
    barewire_get_integer(call->arguments, T("mistake"), &mistake);
    switch (mistake) {
    case 1: return BAREWIRE_DEFERRED; /* without a token */
    case 2: return BAREWIRE_ERROR_KIND;
    case 3: return 12345;
    case 4: /* content behind structured content */
        barewire_reply_json(reply, T("{}"));
        return barewire_reply_text(reply, T("late"));
    case 5: /* more than the output takes */
        for (size = 0; size < 100; size++)
            barewire_reply_text(reply, T("0123456789"));
        return BAREWIRE_OK;
    default: return BAREWIRE_OK;
    }
}

static barewire_status defer(void *user, const barewire_call *call, barewire_reply *reply)
{
    barewire_status status = barewire_reply_defer(reply, &last_token);
    (void)user;
    if (status != BAREWIRE_OK) {
        bool at_once = false;
        barewire_get_boolean(call->arguments, T("at_once"), &at_once);
        return at_once ? barewire_reply_fixed(reply, status, 0) : status;
    }
    CHECK_STATUS(barewire_reply_text(reply, T("taken back")), BAREWIRE_OK);
    CHECK_STATUS(barewire_reply_refuse(reply, 1, T("this too"), T("")), BAREWIRE_OK);
    return BAREWIRE_DEFERRED;
}

static barewire_status nothing(void *user, const barewire_call *call, barewire_reply *reply)
{
    (void)user;
    (void)reply;
    CHECK_TEXT(call->arguments, "{}");
    return BAREWIRE_OK;
}

const barewire_tool tools[TOOLS] = {
    {BAREWIRE_TEXT("echo"), BAREWIRE_TEXT("Echo"), BAREWIRE_TEXT("Says it."),
     BAREWIRE_TEXT("{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}"), BAREWIRE_NO_TEXT,
     BAREWIRE_TOOL_READ_ONLY | BAREWIRE_TOOL_IDEMPOTENT, echo, &config},
    {BAREWIRE_TEXT("measure"), BAREWIRE_NO_TEXT, BAREWIRE_TEXT("Measures."), BAREWIRE_NO_TEXT,
     BAREWIRE_TEXT("{\"type\":\"object\"}"), 0, measure, NULL},
    {BAREWIRE_TEXT("refuse"), BAREWIRE_NO_TEXT, BAREWIRE_TEXT(""), BAREWIRE_TEXT("{\"type\":\"object\"}"), BAREWIRE_NO_TEXT, 0,
     refuse, NULL},
    {BAREWIRE_TEXT("misuse"), BAREWIRE_NO_TEXT, BAREWIRE_TEXT(""), BAREWIRE_TEXT("{\"type\":\"object\"}"), BAREWIRE_NO_TEXT,
     BAREWIRE_TOOL_DESTRUCTIVE | BAREWIRE_TOOL_OPEN_WORLD, misuse, NULL},
    {BAREWIRE_TEXT("defer"), BAREWIRE_NO_TEXT, BAREWIRE_TEXT(""), BAREWIRE_TEXT("{\"type\":\"object\"}"), BAREWIRE_NO_TEXT, 0,
     defer, NULL},
    {BAREWIRE_TEXT("nothing"), BAREWIRE_NO_TEXT, BAREWIRE_TEXT(""), BAREWIRE_NO_TEXT, BAREWIRE_NO_TEXT, 0, nothing, NULL},
};

static void on_event(void *user, const barewire_event *event)
{
    static const char *const names[] = {"?",       "initialized", "cancelled",    "rejected", "lost",
                                        "no-room", "misuse",      "notification", "response"};
    size_t length = strlen(events);
    CHECK(user == events && event->kind >= 1 && event->kind <= 8);
    if (event->kind == BAREWIRE_EVENT_REJECTED)
        CHECK(event->reason > 0);
    if (event->kind == BAREWIRE_EVENT_CANCELLED)
        CHECK(event->token == last_token);
    if (length + 32 < sizeof events) {
        strcat(events, names[event->kind]);
        if (event->kind == BAREWIRE_EVENT_INITIALIZED) {
            strcat(events, "=");
            strncat(events, event->text.data, event->text.length);
        }
        strcat(events, " ");
    }
}

void start(uint32_t flags)
{
    memset(&config, 0, sizeof config);
    config.name = T("test");
    config.version = T("1");
    config.tools = tools;
    config.tool_count = TOOLS;
    config.input = input;
    config.input_size = sizeof input;
    config.output = output;
    config.output_size = sizeof output;
    config.flags = flags;
    config.event = on_event;
    config.user = events;
    events[0] = 0;
    CHECK_STATUS(barewire_server_init(&memory, sizeof memory, &config, &server), BAREWIRE_OK);
    CHECK((void *)server == (void *)&memory);
}

static char answers[2048];

static void collect(void)
{
    barewire_text out;
    size_t length = strlen(answers);
    while (barewire_server_output(server, &out) == BAREWIRE_OK) {
        /* Half of it, so that the other half comes again. */
        size_t sent = out.length > 1 ? out.length / 2 : out.length;
        CHECK(out.data >= output && out.data + out.length <= output + sizeof output);
        if (!CHECK(length + sent < sizeof answers))
            return;
        memcpy(answers + length, out.data, sent);
        length += sent;
        answers[length] = 0;
        CHECK_STATUS(barewire_server_sent(server, sent), BAREWIRE_OK);
    }
    CHECK(out.length == 0 && out.data == NULL);
}

const char *drain(void)
{
    answers[0] = 0;
    collect();
    return answers;
}

const char *talk(const char *bytes)
{
    size_t length = strlen(bytes);
    answers[0] = 0;
    while (length > 0) {
        size_t taken = 0;
        barewire_status status = barewire_server_receive(server, bytes, length, &taken);
        CHECK(status == (taken > 0 ? BAREWIRE_OK : BAREWIRE_MORE));
        bytes += taken;
        length -= taken;
        collect();
    }
    return answers;
}
