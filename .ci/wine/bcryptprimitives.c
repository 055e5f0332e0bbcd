/* The one function of bcryptprimitives.dll that the standard library of Rust imports, which Wine 8.0 lacks. */
#include <windows.h>

/* RtlGenRandom, under the name that advapi32 exports. */
BOOLEAN NTAPI SystemFunction036(PVOID memory, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE memory, SIZE_T length)
{
    while (length > 0) {
        ULONG part = length > 1 << 20 ? 1 << 20 : (ULONG)length;
        if (!SystemFunction036(memory, part))
            return FALSE;
        memory += part;
        length -= part;
    }
    return TRUE;
}
