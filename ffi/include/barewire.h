/*
 * barewire: the Model Context Protocol (MCP) message layer, for C.
 *
 * Link with libbarewire_ffi.a. It never allocates, has no globals, does no I/O, and does not panic. C99 or C++11.
 *
 * The rules that hold for every function:
 *
 * - Status. A function returns a `barewire_status`: BAREWIRE_OK (0); a positive number for something that is no error
 *   (BAREWIRE_NONE, BAREWIRE_MORE); a negative one, BAREWIRE_ERROR_..., for an error. Unless it says otherwise, a function that
 *   does not return BAREWIRE_OK has written nothing to the places for results.
 *
 * - Texts. A `barewire_text` is a pointer and a length; no byte behind it is read, so no NUL is needed. NULL with the length 0
 *   is the empty text; NULL with another length is BAREWIRE_ERROR_NULL. A text that goes in as plain text is UTF-8
 *   (BAREWIRE_ERROR_UTF8); one that goes in as JSON is exactly one JSON value (BAREWIRE_ERROR_JSON; at most 128 levels deep).
 *   A JSON text of a string has its quotes: the method of a message is `"tools/call"`, 12 bytes; compare it by
 *   `barewire_string_equals`, which knows escapes, not by memcmp.
 *
 * - Ownership. Texts that come out point into what went in (a frame, a framer's memory, a server's buffers), or into constants,
 *   where it is said so. They are good for as long as that is unchanged. Nothing is ever to be freed.
 *
 * - Buffers. What is written goes into a buffer of the caller's, `size` bytes at `buffer`, and its length to `*length`. When
 *   it does not fit, the function returns BAREWIRE_ERROR_TOO_SMALL, `*length` is the size that is enough, and what the
 *   buffer holds is unspecified. So a NULL buffer of size 0 asks for the size. Nothing but the message is written: no newline,
 *   no NUL. A buffer must not overlap what is read (BAREWIRE_ERROR_OVERLAP).
 *
 * - Pointers are checked for NULL and alignment (BAREWIRE_ERROR_NULL, BAREWIRE_ERROR_ALIGNMENT), lengths for being possible
 *   (BAREWIRE_ERROR_LENGTH). What cannot be checked is the caller's promise: that there are so many bytes, that nobody
 *   changes them meanwhile, that a function pointer is one.
 *
 * - Threads. Functions may run at the same time in several threads or interrupts when they work on different servers,
 *   framers and buffers. One server, framer or buffer is used by one thread at a time. A call into a server that is at work
 *   already (from a tool's function, or from an interrupt on the same core) is refused, BAREWIRE_ERROR_IN_USE.
 *
 * - Stack and time. Functions do not recurse, whatever the input is; time is linear in its length.
 */
#ifndef BAREWIRE_H
#define BAREWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---- */

typedef int32_t barewire_status;

enum {
    BAREWIRE_OK = 0,
    /* There is nothing: no such member, no answer owed, no output. */
    BAREWIRE_NONE = 1,
    /* Send the server's output first (`barewire_server_output`); then make the same call again. */
    BAREWIRE_MORE = 2,
    /* What a tool's function returns when its answer comes later. No function of this header returns it. */
    BAREWIRE_DEFERRED = 3,

    /* A pointer is NULL that must not be. */
    BAREWIRE_ERROR_NULL = -1,
    /* A pointer to something other than bytes is not aligned for it. */
    BAREWIRE_ERROR_ALIGNMENT = -2,
    /* A length that no object in memory can have. */
    BAREWIRE_ERROR_LENGTH = -3,
    /* Memory that is written to overlaps other memory of the same call. */
    BAREWIRE_ERROR_OVERLAP = -4,
    /* The memory is too small. */
    BAREWIRE_ERROR_TOO_SMALL = -5,
    /* A text is not UTF-8. */
    BAREWIRE_ERROR_UTF8 = -6,
    /* A text is not one JSON value. */
    BAREWIRE_ERROR_JSON = -7,
    /* The JSON value is of another kind than is wanted. */
    BAREWIRE_ERROR_KIND = -8,
    /* A number does not fit, or has a fraction where an integer is wanted; a count is greater than what there is. */
    BAREWIRE_ERROR_RANGE = -9,
    /* The number has more decimals than were asked for. */
    BAREWIRE_ERROR_INEXACT = -10,
    /* The member occurs twice: another parser may take the other one. */
    BAREWIRE_ERROR_REPEATED = -11,
    /* The string has half a surrogate pair ("\ud800"), which stands for no character. */
    BAREWIRE_ERROR_SURROGATE = -12,
    /* A tool's name is not 1 to 128 of A-Z a-z 0-9 _ - . or two tools have the same. */
    BAREWIRE_ERROR_TOOL_NAME = -13,
    /* A schema is no JSON object with one member "type":"object". */
    BAREWIRE_ERROR_SCHEMA = -14,
    /* The memory holds no server or framer that was made by its `init`. Found by a magic number: a help, not a promise. */
    BAREWIRE_ERROR_NOT_INITIALIZED = -15,
    /* The server is at work already. */
    BAREWIRE_ERROR_IN_USE = -16,
    /* The call was answered or cancelled before, or there never was one of that token. */
    BAREWIRE_ERROR_NOT_IN_FLIGHT = -17,
    /* The table of calls that are answered later is full. */
    BAREWIRE_ERROR_BUSY = -18,
    /* The request's id, or its progress token, is too long to be kept: see BAREWIRE_ID_SIZE. */
    BAREWIRE_ERROR_ID_TOO_LONG = -19,
    /* A bit is set that is none of the flags. */
    BAREWIRE_ERROR_FLAGS = -20
};

/* ---- Texts ---- */

typedef struct barewire_text {
    const char *data;
    size_t length;
} barewire_text;

/* A string literal as a `barewire_text`, in an initializer: `static const barewire_text name = BAREWIRE_TEXT("led");` */
#define BAREWIRE_TEXT(literal) {(literal), sizeof(literal) - 1}
/* The empty text, in an initializer. */
#define BAREWIRE_NO_TEXT {NULL, 0}

/* A string that ends with NUL, as a text; NULL is the empty one. */
static inline barewire_text barewire_text_of(const char *string)
{
    barewire_text text;
    text.data = string;
    text.length = string == NULL ? 0 : strlen(string);
    return text;
}

/* ---- Messages: read ---- */

/* What `barewire_classify` lets pass besides what the specification allows; each is something that deployed peers send. */
enum {
    BAREWIRE_RULES_STRICT = 0,
    BAREWIRE_RULES_NULL_PARAMS = 1,        /* "params":null counts as absent */
    BAREWIRE_RULES_EMPTY_ARRAY_PARAMS = 2, /* "params":[] counts as absent */
    BAREWIRE_RULES_ERROR_WITHOUT_ID = 4,   /* an error without an id is a response */
    BAREWIRE_RULES_LENIENT = 7
};

/* barewire_message.kind */
enum {
    BAREWIRE_INVALID = 0,
    BAREWIRE_REQUEST = 1,
    BAREWIRE_NOTIFICATION = 2,
    BAREWIRE_RESULT = 3,
    BAREWIRE_ERROR = 4
};

/* barewire_message.reply */
enum {
    BAREWIRE_REPLY_NOBODY = 0, /* never to be answered */
    BAREWIRE_REPLY_NULL = 1,   /* an error with "id":null */
    BAREWIRE_REPLY_ID = 2      /* an answer with the message's own id */
};

/* barewire_message.reason: why a frame is no message. */
enum {
    BAREWIRE_REASON_NONE = 0,
    BAREWIRE_REASON_NOT_JSON = 1,
    BAREWIRE_REASON_TOO_DEEP = 2,
    BAREWIRE_REASON_TOO_LONG = 3,
    BAREWIRE_REASON_BATCH = 4,
    BAREWIRE_REASON_NOT_AN_OBJECT = 5,
    BAREWIRE_REASON_REPEATED_MEMBER = 6,
    BAREWIRE_REASON_MISSING_VERSION = 7,
    BAREWIRE_REASON_WRONG_VERSION = 8,
    BAREWIRE_REASON_METHOD_NOT_A_STRING = 9,
    BAREWIRE_REASON_INVALID_ID = 10,
    BAREWIRE_REASON_PARAMS_NOT_AN_OBJECT = 11,
    BAREWIRE_REASON_NOT_A_MESSAGE = 12,
    BAREWIRE_REASON_RESULT_AND_ERROR = 13,
    BAREWIRE_REASON_RESULT_NOT_AN_OBJECT = 14,
    BAREWIRE_REASON_ERROR_NOT_AN_OBJECT = 15,
    BAREWIRE_REASON_REPEATED_ERROR_MEMBER = 16,
    BAREWIRE_REASON_INVALID_ERROR_CODE = 17,
    BAREWIRE_REASON_INVALID_ERROR_MESSAGE = 18,
    BAREWIRE_REASON_RESULT_WITHOUT_ID = 19,
    BAREWIRE_REASON_ERROR_WITHOUT_ID = 20
};

/* What a frame is. The texts are JSON and stand in the frame; what a message does not have is the empty text. */
typedef struct barewire_message {
    int32_t kind;
    int32_t reply;
    int32_t reason;
    size_t offset;             /* invalid: the byte that is wrong; SIZE_MAX where there is no such place */
    int64_t code;              /* invalid: of the error that is owed; error: its code; else 0 */
    barewire_text reason_name; /* invalid: "not-json" and the like, a constant, no JSON */
    barewire_text id;          /* also of an invalid one, where it is owed an answer with its id and is JSON */
    barewire_text method;
    barewire_text target;      /* params.name or else params.uri, if it is a string: which tool, prompt, resource */
    barewire_text params;
    barewire_text result;
    barewire_text error_message;
    barewire_text error_data;
} barewire_message;

/*
 * Judges one frame: one JSON text, white space around it allowed. A frame that is no message is no error of this function:
 * the kind is then BAREWIRE_INVALID, and `barewire_write_rejection` writes what its sender is owed.
 * Errors: NULL, ALIGNMENT, LENGTH, FLAGS.
 */
barewire_status barewire_classify(const void *frame, size_t length, uint32_t rules, barewire_message *message);

/* ---- Messages: write ---- */

/*
 * Each writes one message into a buffer. An id is a JSON string or integer: as `barewire_message.id` has it, or a literal of
 * one's own. `params` and `result` are JSON objects, `data` is any JSON value, `method` and `message` are plain text.
 * Optional, and left out when empty: `params`, `data`. An error whose request has no readable id has an empty one: it is
 * written as null.
 * Errors: those of texts and buffers, KIND.
 */
barewire_status barewire_write_request(barewire_text id, barewire_text method, barewire_text params, void *buffer, size_t size,
                                       size_t *length);
barewire_status barewire_write_notification(barewire_text method, barewire_text params, void *buffer, size_t size,
                                            size_t *length);
barewire_status barewire_write_result(barewire_text id, barewire_text result, void *buffer, size_t size, size_t *length);
barewire_status barewire_write_error(barewire_text id, int64_t code, barewire_text message, barewire_text data, void *buffer,
                                     size_t size, size_t *length);

/*
 * Writes the error that the sender of a frame that is no message is owed. BAREWIRE_NONE when that is nothing, also for a frame
 * that is a message; then `*length` is 0. `rules` as for `barewire_classify`.
 */
barewire_status barewire_write_rejection(const void *frame, size_t frame_length, uint32_t rules, void *buffer, size_t size,
                                         size_t *length);

/* ---- JSON values ---- */

enum {
    BAREWIRE_JSON_NULL = 0,
    BAREWIRE_JSON_BOOLEAN = 1,
    BAREWIRE_JSON_NUMBER = 2,
    BAREWIRE_JSON_STRING = 3,
    BAREWIRE_JSON_ARRAY = 4,
    BAREWIRE_JSON_OBJECT = 5
};

/* The kind of a JSON value. Errors: those of texts. */
barewire_status barewire_json_kind(barewire_text value, int32_t *kind);

/*
 * Members of a JSON object by name, the name as plain text. BAREWIRE_NONE when there is none of that name. Each call judges
 * and walks the whole object: linear in its length.
 * Errors: those of texts; KIND when it is no object, or the member is not what the function's name says; REPEATED.
 */
barewire_status barewire_get(barewire_text object, barewire_text name, barewire_text *value);
/* Any number whose value is an integer: 1.0 and 1e2 too. RANGE when it does not fit, or has a fraction. */
barewire_status barewire_get_integer(barewire_text object, barewire_text name, int64_t *value);
/* The number times ten to the power of `decimals`: 23.75 with 2 is 2375. Exact, without a float; else INEXACT, RANGE. */
barewire_status barewire_get_fixed(barewire_text object, barewire_text name, uint8_t decimals, int64_t *value);
barewire_status barewire_get_boolean(barewire_text object, barewire_text name, bool *value);
/* The string, unescaped, as UTF-8 into a buffer. It may hold NUL. SURROGATE when it cannot be decoded. */
barewire_status barewire_get_string(barewire_text object, barewire_text name, void *buffer, size_t size, size_t *length);

/* A JSON string (with its quotes) unescaped. Errors: those of texts and buffers, KIND, SURROGATE. */
barewire_status barewire_string_decode(barewire_text string, void *buffer, size_t size, size_t *length);
/* Whether a JSON string stands for `text`: BAREWIRE_OK or BAREWIRE_NONE. Errors: those of texts, KIND. */
barewire_status barewire_string_equals(barewire_text string, barewire_text text);

/* ---- Lines ---- */

enum { BAREWIRE_FRAMER_WORDS = 16 };

/* Cuts a byte stream into lines. What is in it is the library's own. */
typedef struct barewire_framer {
    uintptr_t words[BAREWIRE_FRAMER_WORDS];
} barewire_framer;

/* What `barewire_framer_next` found. */
enum {
    BAREWIRE_LINE_NEED_MORE = 0, /* nothing more until bytes are pushed */
    BAREWIRE_LINE_WHOLE = 1,     /* a line, without its newline */
    BAREWIRE_LINE_PART = 2,      /* the next piece of a line that is longer than the memory */
    BAREWIRE_LINE_TOO_LONG = 3,  /* the line whose pieces came before has ended */
    BAREWIRE_LINE_LOST = 4       /* a line with missing bytes has ended and was dropped */
};

/*
 * Makes a framer over `size` bytes of memory, at least 1, in which lines are put together: a line and its newline must fit.
 * Both the framer and the memory stay where they are while it is used, and are touched by nobody else.
 * Errors: NULL, ALIGNMENT, LENGTH, OVERLAP, TOO_SMALL. All others of this chapter: NOT_INITIALIZED.
 */
barewire_status barewire_framer_init(barewire_framer *framer, void *memory, size_t size);
/* Copies in as many bytes as there is room for; `*taken` says how many. Call `next` until NEED_MORE, then push the rest. */
barewire_status barewire_framer_push(barewire_framer *framer, const void *bytes, size_t length, size_t *taken);
/* What comes next. `*line` is of WHOLE and PART only, and good until the next call with this framer. */
barewire_status barewire_framer_next(barewire_framer *framer, int32_t *kind, barewire_text *line);
/* At the end of the stream, once `next` says NEED_MORE: a last line without a newline, or the report of a damaged one. */
barewire_status barewire_framer_finish(barewire_framer *framer, int32_t *kind, barewire_text *line);
/* The receiver lost bytes behind those pushed: the line they belong to is dropped and reported as LOST. */
barewire_status barewire_framer_lost(barewire_framer *framer);
/* Starts at the beginning of a new stream. */
barewire_status barewire_framer_reset(barewire_framer *framer);

/* ---- Server: its tools ---- */

typedef struct barewire_server barewire_server;

/* The reply to a call: a handle, good while the function it was given to runs, and only in that function. */
typedef struct barewire_reply barewire_reply;

/* Names a call that is answered later. Any number may be a token; every number may come again after 2^32 calls. */
typedef uint32_t barewire_token;

/* A call of a tool. The texts are good until the function returns. */
typedef struct barewire_call {
    barewire_text name;      /* the tool's, as in the table */
    barewire_text arguments; /* a JSON object, {} if there are none: for barewire_get... */
    barewire_text params;    /* all of the request's params, a JSON object */
    barewire_text version;   /* the revision of the protocol, plain text */
    size_t index;            /* the tool's place in the table */
    bool wants_progress;
} barewire_call;

/*
 * Runs a tool: fills the reply, and returns BAREWIRE_OK, or BAREWIRE_DEFERRED after `barewire_reply_defer`. Any other number is
 * answered with "Internal error" (so an error of `barewire_reply_...` may be returned as it is), after a deferral that failed
 * with "Server busy" or "Request id too long". A reply that nothing was put into has no content, and is a success.
 * The arguments are a JSON object; with an `input_schema` of its own the function checks them itself.
 */
typedef barewire_status (*barewire_tool_function)(void *user, const barewire_call *call, barewire_reply *reply);

/* barewire_tool.hints */
enum {
    BAREWIRE_TOOL_READ_ONLY = 1,
    BAREWIRE_TOOL_DESTRUCTIVE = 2,
    BAREWIRE_TOOL_IDEMPOTENT = 4,
    BAREWIRE_TOOL_OPEN_WORLD = 8
};

/* An entry of the table of tools. The table and its texts may be constants in flash; they outlive the server. */
typedef struct barewire_tool {
    barewire_text name;          /* 1 to 128 of A-Z a-z 0-9 _ - . */
    barewire_text title;         /* for people; optional */
    barewire_text description;   /* a model reads this */
    barewire_text input_schema;  /* a JSON Schema with "type":"object"; empty: no argument is allowed, and none gets through */
    barewire_text output_schema; /* of what `barewire_reply_json` writes; optional */
    uint32_t hints;              /* BAREWIRE_TOOL_... */
    barewire_tool_function function;
    void *user;                  /* given to the function */
} barewire_tool;

/* A block of text. A reply has any number of blocks. Errors of this chapter: NULL, ALIGNMENT, and those of texts. */
barewire_status barewire_reply_text(barewire_reply *reply, barewire_text text);
/* A block of text that is a number: 2375 with 2 decimals is 23.75, 5 with 0 is 5. */
barewire_status barewire_reply_fixed(barewire_reply *reply, int64_t value, uint8_t decimals);
/* Structured content, a JSON object (else KIND), and the same as a block of text. Behind all blocks, once. */
barewire_status barewire_reply_json(barewire_reply *reply, barewire_text object);
/* The tool failed, and this is why: a model reads it. Replaces what the reply holds. */
barewire_status barewire_reply_fail(barewire_reply *reply, barewire_text text);
/*
 * An error of the protocol instead of a result, for what is refused before anything runs (authorization, say). Own codes belong
 * outside -32768 to -32000. `message` and the JSON value `data` (optional) are read after the tool's function has returned:
 * constants, or memory that outlives it.
 */
barewire_status barewire_reply_refuse(barewire_reply *reply, int64_t code, barewire_text message, barewire_text data);
/*
 * Takes the token under which the call is answered later; then return BAREWIRE_DEFERRED: what was put into the reply, a refusal
 * too, is taken back. Anything else but a refusal is then answered with "Internal error". Errors: BUSY, ID_TOO_LONG.
 */
barewire_status barewire_reply_defer(barewire_reply *reply, barewire_token *token);
/*
 * Reports progress, before anything else of the reply. `total` is left out unless above 0, `message` when empty. BAREWIRE_NONE
 * when nothing was written: the client did not ask for it, it is not more than the last, or there is no room.
 */
barewire_status barewire_reply_progress(barewire_reply *reply, int64_t progress, int64_t total, barewire_text message);

/* ---- Server: events ---- */

/* barewire_event.kind */
enum {
    BAREWIRE_EVENT_INITIALIZED = 1,  /* a client has said `initialize`; text: the revision */
    BAREWIRE_EVENT_CANCELLED = 2,    /* a deferred call was cancelled: its token is void, it is never answered */
    BAREWIRE_EVENT_REJECTED = 3,     /* a line that is no message; reason: as barewire_message.reason */
    BAREWIRE_EVENT_LOST = 4,         /* a damaged line was dropped */
    BAREWIRE_EVENT_NO_ROOM = 5,      /* an answer had no room in the output */
    BAREWIRE_EVENT_MISUSE = 6,       /* a tool broke a rule of its reply; text: which */
    BAREWIRE_EVENT_NOTIFICATION = 7, /* one that the server does not act on; text: the frame */
    BAREWIRE_EVENT_RESPONSE = 8      /* one that nobody waits for; text: the frame */
};

/* Something that needs no answer, for a log. More kinds may come. The text is good until the function returns. */
typedef struct barewire_event {
    int32_t kind;
    int32_t reason;
    barewire_token token;
    barewire_text text;
} barewire_event;

typedef void (*barewire_event_function)(void *user, const barewire_event *event);

/* ---- Server ---- */

/* What a server keeps: fixed capacities. A call that is answered at once needs none of them. */
enum {
    BAREWIRE_CALLS = 4,         /* calls that are answered later, at a time; more are answered with "Server busy" */
    BAREWIRE_SUBSCRIPTIONS = 2, /* streams of subscriptions/listen */
    BAREWIRE_ID_SIZE = 48,      /* bytes of an id, its progress token included, that always fit; a longer one while there is room */
    BAREWIRE_MIN_OUTPUT = 96    /* the least size of an output buffer, so that some answer always fits */
};

/* barewire_config.flags */
enum {
    BAREWIRE_SERVER_STRICT = 1,             /* before `initialize` only `ping` is served */
    BAREWIRE_SERVER_RESTART = 2,            /* every `initialize` starts afresh: for links that outlive a client, such as UARTs */
    BAREWIRE_SERVER_OMIT_UNREADABLE_ID = 4, /* errors to unreadable lines have no id, instead of null */
    BAREWIRE_SERVER_SILENT = 8,             /* lines without a readable id are not answered: for noisy lines */
    BAREWIRE_SERVER_TOOLS_CHANGE = 16,      /* the table of tools changes at run time */
    BAREWIRE_SERVER_LENIENT = 32            /* the leniencies of BAREWIRE_RULES_LENIENT */
};

/* The memory of a server, for constant expressions; `barewire_server_size` gives the exact size. */
enum {
    BAREWIRE_SERVER_ALIGN = 8,
    BAREWIRE_SERVER_BASE_32 = 1664,
    BAREWIRE_SERVER_BASE_64 = 2048,
    BAREWIRE_SERVER_TOOL_32 = 96,
    BAREWIRE_SERVER_TOOL_64 = 192
};
#define BAREWIRE_SERVER_SIZE(tools)                                                                                  \
    (sizeof(void *) == 4 ? (size_t)BAREWIRE_SERVER_BASE_32 + (size_t)(tools) * (size_t)BAREWIRE_SERVER_TOOL_32       \
                         : (size_t)BAREWIRE_SERVER_BASE_64 + (size_t)(tools) * (size_t)BAREWIRE_SERVER_TOOL_64)
#if defined(__GNUC__)
#define BAREWIRE_ALIGNED __attribute__((aligned(8)))
#else
#define BAREWIRE_ALIGNED
#endif
/* Memory for a server of at most so many tools: `static BAREWIRE_SERVER_MEMORY(memory, 2);`, then `&memory, sizeof memory`. */
#define BAREWIRE_SERVER_MEMORY(name, tools)                                                                          \
    union {                                                                                                          \
        BAREWIRE_ALIGNED uint64_t alignment;                                                                         \
        unsigned char bytes[BAREWIRE_SERVER_SIZE(tools)];                                                            \
    } name

/*
 * What a server is made of. The struct itself is copied; all it points to outlives the server. `input` takes the longest line
 * with its newline, `output` the longest answer with its: a longer line is answered with an error that has its id, a longer
 * list is sent in pages, a tool's longer answer is a tool error.
 */
typedef struct barewire_config {
    barewire_text name;
    barewire_text version;
    barewire_text title;        /* for people; optional */
    barewire_text instructions; /* how to use the server, a model reads this; optional */
    const barewire_tool *tools;
    size_t tool_count;
    void *input;
    size_t input_size; /* at least 1 */
    void *output;
    size_t output_size; /* at least BAREWIRE_MIN_OUTPUT */
    uint32_t flags;
    barewire_event_function event; /* NULL for none */
    void *user;                    /* given to `event` */
} barewire_config;

/* How many bytes the memory of a server with so many tools has, exactly. */
size_t barewire_server_size(size_t tool_count);

/*
 * Makes a server in `size` bytes of memory, aligned to BAREWIRE_SERVER_ALIGN. The memory stays where it is while the server is
 * used, and belongs to it; there is nothing to be torn down. All of the table of tools is checked here. `*server` points into
 * the memory. No two of memory, input and output overlap.
 * Errors: NULL (a tool without a function, too), ALIGNMENT, LENGTH, OVERLAP, TOO_SMALL (memory, input or output), UTF8,
 * TOOL_NAME, SCHEMA, FLAGS.
 */
barewire_status barewire_server_init(void *memory, size_t size, const barewire_config *config, barewire_server **server);

/*
 * The loop over a server, without I/O of its own:
 *
 *     for (;;) {
 *         barewire_text out;
 *         while (barewire_server_output(server, &out) == BAREWIRE_OK)
 *             barewire_server_sent(server, uart_write(out.data, out.length));
 *         void *space; size_t size;
 *         barewire_server_space(server, &space, &size);
 *         barewire_server_received(server, uart_read(space, size));
 *     }
 *
 * Tools run inside `output`, and nowhere else; events also inside `reset` and the functions of the next chapter. A function
 * given to the server returns: no longjmp and no exception leaves it.
 * Errors of all that follow: NULL, ALIGNMENT, NOT_INITIALIZED, IN_USE.
 */

/* The bytes to send next, good until the next call with this server; BAREWIRE_NONE, and no text, when there are none. */
barewire_status barewire_server_output(barewire_server *server, barewire_text *output);
/* So many bytes of that were sent; the others come again. RANGE when `output` did not give so many. */
barewire_status barewire_server_sent(barewire_server *server, size_t count);
/* Where to receive into. BAREWIRE_MORE, and a size of 0, when there is no room before output was sent. */
barewire_status barewire_server_space(barewire_server *server, void **place, size_t *size);
/* So many bytes were received into that. RANGE when it does not have so many. */
barewire_status barewire_server_received(barewire_server *server, size_t count);
/*
 * Copies received bytes in, instead of the two before; `*taken` says how many there was room for. BAREWIRE_MORE when that is
 * none of them. OVERLAP when they stand in the server's own input.
 */
barewire_status barewire_server_receive(barewire_server *server, const void *bytes, size_t length, size_t *taken);
/* The receiver lost bytes: the line they belong to is dropped, the next one works. */
barewire_status barewire_server_lost(barewire_server *server);
/* The stream has ended: a last line without a newline is served by the next `output`. Then another stream may begin. */
barewire_status barewire_server_end_of_input(barewire_server *server);
/* Starts afresh for another client: nothing received or unsent is kept, deferred calls are cancelled, each with its event. */
barewire_status barewire_server_reset(barewire_server *server);

/* ---- Server: between two lines. All of these but `is_in_flight` return BAREWIRE_MORE while output is to be sent first. ---- */

/* Fills the reply to a deferred call; as a tool's function, but for another deferral. */
typedef barewire_status (*barewire_answer_function)(void *user, barewire_reply *reply);

/*
 * Answers a deferred call: `function` is called at once, with `user`, unless the call is not in flight any more
 * (NOT_IN_FLIGHT). The answer is then in the output.
 */
barewire_status barewire_server_answer(barewire_server *server, barewire_token token, barewire_answer_function function,
                                       void *user);
/* Reports the progress of a deferred call; else as `barewire_reply_progress`. NOT_IN_FLIGHT. */
barewire_status barewire_server_progress(barewire_server *server, barewire_token token, int64_t progress, int64_t total,
                                         barewire_text message);
/* Whether a deferred call is still to be answered: BAREWIRE_OK or BAREWIRE_NONE. */
barewire_status barewire_server_is_in_flight(barewire_server *server, barewire_token token);
/*
 * Replaces the table of tools, as far as the server's memory is large enough (TOO_SMALL); checked as by `init`. After an error
 * of the table there is no tool. Needs BAREWIRE_SERVER_TOOLS_CHANGE to be told of by the next:
 */
barewire_status barewire_server_set_tools(barewire_server *server, const barewire_tool *tools, size_t count);
/* Tells the clients that want to know that the table has changed: the next outputs have the notifications. */
barewire_status barewire_server_tools_changed(barewire_server *server);
/* Ends all streams of subscriptions/listen: the next outputs have the response of each. */
barewire_status barewire_server_end_streams(barewire_server *server);

/* ---- What the library was built for ---- */

/* A line that does not compile where the layout of a struct is not that of the library. */
#define BAREWIRE_ASSERT(name, condition) typedef char barewire_assert_##name[(condition) ? 1 : -1]

BAREWIRE_ASSERT(pointers, sizeof(void *) == 4 || sizeof(void *) == 8);
BAREWIRE_ASSERT(sizes, sizeof(size_t) == sizeof(void *) && sizeof(barewire_text) == 2 * sizeof(void *));
BAREWIRE_ASSERT(functions, sizeof(barewire_tool_function) == sizeof(void *));
BAREWIRE_ASSERT(booleans, sizeof(bool) == 1);
BAREWIRE_ASSERT(message, sizeof(barewire_message) == (sizeof(void *) == 4 ? 88 : 160));
BAREWIRE_ASSERT(call, sizeof(barewire_call) == 10 * sizeof(void *));
BAREWIRE_ASSERT(tool, sizeof(barewire_tool) == 13 * sizeof(void *));
BAREWIRE_ASSERT(event, sizeof(barewire_event) == (sizeof(void *) == 4 ? 20 : 32));
BAREWIRE_ASSERT(config, sizeof(barewire_config) == 17 * sizeof(void *));

#ifdef __cplusplus
}
#endif

#endif
