/* What runs before `main` on a Cortex-M: the vector table, the memory as C wants it, and the console of semihosting. */
#include <stdint.h>
#include <stdlib.h>

/* An address, which the table has in the place of a function. */
extern void _stack_top(void);
extern uint32_t _data_load, _data_start, _data_end, _bss_start, _bss_end;
extern void initialise_monitor_handles(void);
extern int main(void);

void reset(void)
{
    uint32_t *from = &_data_load, *to;
    for (to = &_data_start; to < &_data_end; to++)
        *to = *from++;
    for (to = &_bss_start; to < &_bss_end; to++)
        *to = 0;
    initialise_monitor_handles();
    exit(main());
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
