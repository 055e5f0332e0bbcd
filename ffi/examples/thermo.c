/*
 * A thermometer as an MCP server on stdin and stdout, with two tools. All memory is static. From this directory:
 *
 *     cargo build --release
 *     gcc -std=c99 -Iinclude examples/thermo.c target/release/libbarewire_ffi.a -o thermo
 *     ./thermo < examples/session.jsonl
 *
 * On a device, `receive` and `send` are those of the UART; the rest stays.
 */
#include <stdlib.h>
#include <unistd.h>

#include "barewire.h"

/* ---- The device: hundredths of a degree Celsius. ---- */

enum { COLDEST = -4000, HOTTEST = 12500 };

struct thermometer {
    int64_t limit;
};

static int64_t measure(void)
{
    static int64_t temperature = 2375;
    return temperature += 25;
}

/* ---- The tools. ---- */

static barewire_status read_temperature(void *user, const barewire_call *call, barewire_reply *reply)
{
    (void)user;
    (void)call;
    return barewire_reply_fixed(reply, measure(), 2);
}

static barewire_status set_limit(void *user, const barewire_call *call, barewire_reply *reply)
{
    struct thermometer *device = user;
    int64_t limit;
    barewire_status status = barewire_get_fixed(call->arguments, barewire_text_of("celsius"), 2, &limit);
    if (status == BAREWIRE_ERROR_INEXACT)
        return barewire_reply_fail(reply, barewire_text_of("celsius has more than two decimals"));
    if (status != BAREWIRE_OK)
        return barewire_reply_fail(reply, barewire_text_of("celsius must be a number"));
    if (limit < COLDEST || limit > HOTTEST)
        return barewire_reply_fail(reply, barewire_text_of("celsius is outside -40 to 125"));
    device->limit = limit;
    status = barewire_reply_text(reply, barewire_text_of("The limit is now, in degrees Celsius:"));
    return status == BAREWIRE_OK ? barewire_reply_fixed(reply, device->limit, 2) : status;
}

static struct thermometer thermometer = {HOTTEST};

static const barewire_tool tools[] = {
    {
        BAREWIRE_TEXT("read_temperature"),
        BAREWIRE_TEXT("Read the temperature"),
        BAREWIRE_TEXT("Measures the temperature in degrees Celsius."),
        BAREWIRE_NO_TEXT,
        BAREWIRE_NO_TEXT,
        BAREWIRE_TOOL_READ_ONLY,
        read_temperature,
        NULL,
    },
    {
        BAREWIRE_TEXT("set_limit"),
        BAREWIRE_TEXT("Set the limit"),
        BAREWIRE_TEXT("Sets the temperature above which the alarm sounds."),
        BAREWIRE_TEXT("{\"type\":\"object\",\"properties\":{\"celsius\":{\"type\":\"number\",\"minimum\":-40,"
                      "\"maximum\":125,\"multipleOf\":0.01}},\"required\":[\"celsius\"]}"),
        BAREWIRE_NO_TEXT,
        BAREWIRE_TOOL_IDEMPOTENT,
        set_limit,
        &thermometer,
    },
};

enum { TOOLS = sizeof tools / sizeof *tools };

/* ---- The stream. ---- */

static size_t receive(void *place, size_t size)
{
    const long count = (long)read(STDIN_FILENO, place, size);
    return count > 0 ? (size_t)count : 0;
}

/* Sends all output there is. */
static void flush(barewire_server *server)
{
    barewire_text out;
    while (barewire_server_output(server, &out) == BAREWIRE_OK) {
        const long count = (long)write(STDOUT_FILENO, out.data, out.length);
        if (count <= 0)
            exit(1);
        barewire_server_sent(server, (size_t)count);
    }
}

int main(void)
{
    static BAREWIRE_SERVER_MEMORY(memory, TOOLS);
    static char input[512], output[1024];
    barewire_server *server;
    barewire_config config = {0};
    config.name = barewire_text_of("thermo");
    config.version = barewire_text_of("1.0");
    config.tools = tools;
    config.tool_count = TOOLS;
    config.input = input;
    config.input_size = sizeof input;
    config.output = output;
    config.output_size = sizeof output;
    if (barewire_server_init(&memory, sizeof memory, &config, &server) != BAREWIRE_OK)
        return 1;
    for (;;) {
        void *space;
        size_t size, count;
        flush(server);
        barewire_server_space(server, &space, &size);
        count = receive(space, size);
        if (count == 0)
            break;
        barewire_server_received(server, count);
    }
    barewire_server_end_of_input(server);
    flush(server);
    return 0;
}
