/* A program that leaves processes behind, as scripts and launchers do. Both start a copy that sleeps and holds the output.
 *
 * wrapper exit STATUS          exits at once
 * wrapper hold COMMAND ARG...  runs the command, and then does not end either
 */
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "sleep") == 0) {
        Sleep(INFINITE);
        return 0;
    }
    if (count < 3)
        return 2;
    char *const sleeper[] = {arguments[0], "sleep", NULL};
    if (_spawnv(_P_NOWAIT, arguments[0], (const char *const *)sleeper) == -1)
        return 2;
    if (strcmp(arguments[1], "exit") == 0)
        return atoi(arguments[2]);
    if (_spawnv(_P_WAIT, arguments[2], (const char *const *)arguments + 2) == -1)
        return 2;
    Sleep(INFINITE);
    return 0;
}
