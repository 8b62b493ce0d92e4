/* A disk with faults, for the trial of them: loaded before the C library, told what to do by a file's first byte.
   Only writes and syncs of SQLite's files are touched, which it makes by these four functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static volatile char *mode(void) {
    static volatile char *found;
    if (!found) {
        int file = open(getenv("FAULTS_FILE"), O_RDONLY);
        found = mmap(0, 1, PROT_READ, MAP_SHARED, file, 0);
        close(file);
    }
    return found;
}

static int is_database(int file) {
    char link[64], name[4096];
    int length;
    char digits[12], *end = digits + 11;
    *end = 0;
    int rest = file;
    do { *--end = '0' + rest % 10; rest /= 10; } while (rest);
    strcpy(link, "/proc/self/fd/");
    strcat(link, end);
    length = readlink(link, name, sizeof name - 1);
    if (length <= 0) return 0;
    name[length] = 0;
    return strstr(name, "touchstone.sqlite3") != 0;
}

static int is_refused(int file) {
    if (*mode() != 'r' || !is_database(file)) return 0;
    errno = EROFS;
    return 1;
}

static void be_slow(int file) {
    if (*mode() == 's' && is_database(file)) usleep(50000);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    return is_refused(file) ? -1 : real(file, bytes, count, place);
}

int ftruncate64(int file, off64_t length) {
    static int (*real)(int, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "ftruncate64");
    return is_refused(file) ? -1 : real(file, length);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    be_slow(file);
    return is_refused(file) ? -1 : real(file);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    be_slow(file);
    return is_refused(file) ? -1 : real(file);
}
