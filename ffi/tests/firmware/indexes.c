/* The negative twin of the proof: it calls a function that can panic, so it must not link. */
#include <stddef.h>
#include <stdint.h>

extern uint8_t barewire_indexes(const uint8_t *bytes, size_t length, size_t at);

int main(int count, char **arguments)
{
    return barewire_indexes((const uint8_t *)arguments, (size_t)count, (size_t)count);
}
