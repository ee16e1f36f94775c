/* Ends with 0 if the kernel has Landlock and lets this process use it. */
#include <sys/syscall.h>
#include <unistd.h>

int main(void) { return syscall(SYS_landlock_create_ruleset, 0, 0, 1) < 1; }
