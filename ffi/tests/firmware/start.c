/*
 * What runs before `main` on a Cortex-M: the vector table, the memory as C wants it, and the console of semihosting. Behind
 * `main` it says on stderr how much stack was used: the free memory is painted before.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* An address, which the table has in the place of a function. */
extern void _stack_top(void);
extern uint32_t end, _data_load, _data_start, _data_end, _bss_start, _bss_end;
extern void initialise_monitor_handles(void);
extern int main(void);

extern void *_sbrk(ptrdiff_t size);

static const uint32_t paint = 0xA5A5A5A5;

static void say_stack(void)
{
    char line[] = "stack:       bytes\n";
    const uint32_t *painted = _sbrk(0);
    uintptr_t used;
    size_t place = 11;
    while (*painted == paint)
        painted++;
    for (used = (uintptr_t)_stack_top - (uintptr_t)painted; used > 0; used /= 10)
        line[place--] = (char)('0' + used % 10);
    write(STDERR_FILENO, line, sizeof line - 1);
}

void reset(void)
{
    int status;
    uint32_t *from = &_data_load, *to;
    for (to = &_data_start; to < &_data_end; to++)
        *to = *from++;
    for (to = &_bss_start; to < &_bss_end; to++)
        *to = 0;
    /* Up to a little below this function's own frame. */
    for (to = &end; to < (uint32_t *)__builtin_frame_address(0) - 32; to++)
        *to = paint;
    initialise_monitor_handles();
    status = main();
    say_stack();
    exit(status);
}

/* An exception: nothing is left to do but to say so, by the exit status. */
void fault(void)
{
    _Exit(70);
}

__attribute__((section(".vectors"), used)) void (*const vectors[])(void) = {
    _stack_top, reset, fault, fault, fault, fault, fault,
};

/* The C library calls them; there are no constructors. */
void _init(void) {}
void _fini(void) {}
