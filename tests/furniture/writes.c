/* Writes down what SQLite asks of the disk, in order, for the trial of power cuts: loaded before the C library.
   A record is a time, what was asked, of which file, where, how much, and what was written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct __attribute__((packed)) record {
    double time;
    char what, file;
    uint64_t place, count;
};

static pthread_mutex_t in_order = PTHREAD_MUTEX_INITIALIZER;

/* The last letters of a name tell the database, its write-ahead log and its journal apart; 0 is another file. */
static char named(const char *name) {
    const char *found = strstr(name, "touchstone.sqlite3");
    if (!found) return 0;
    found += strlen("touchstone.sqlite3");
    if (!*found) return 'd';
    if (!strcmp(found, "-wal")) return 'l';
    return strcmp(found, "-journal") ? 0 : 'j';
}

static char of(int file) {
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (length <= 0) return 0;
    name[length] = 0;
    return named(name);
}

static void note(char what, char file, uint64_t place, uint64_t count, const void *bytes) {
    static int log = -1;
    if (log < 0) log = open(getenv("WRITES_FILE"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct record one = {now.tv_sec + now.tv_nsec / 1e9, what, file, place, count};
    struct iovec parts[2] = {{&one, sizeof one}, {(void *)bytes, bytes ? count : 0}};
    if (writev(log, parts, 2) != (ssize_t)(sizeof one + parts[1].iov_len)) abort();
}

/* A write may be on the disk before it is noted here; a sync is noted once it is done. */
#define ORDERLY(what, place, count, bytes, call) \
    char name = of(file); \
    if (!name) return call; \
    pthread_mutex_lock(&in_order); \
    long done = call; \
    if (done >= 0) note(what, name, place, count, bytes); \
    pthread_mutex_unlock(&in_order); \
    return done

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    ORDERLY('w', place, done, bytes, real(file, bytes, count, place));
}

int ftruncate64(int file, off64_t length) {
    static int (*real)(int, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "ftruncate64");
    ORDERLY('t', length, 0, NULL, real(file, length));
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    ORDERLY('s', 0, 0, NULL, real(file));
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    ORDERLY('s', 0, 0, NULL, real(file));
}

int unlink(const char *path) {
    static int (*real)(const char *);
    if (!real) real = dlsym(RTLD_NEXT, "unlink");
    char name = named(path);
    if (!name) return real(path);
    pthread_mutex_lock(&in_order);
    int done = real(path);
    if (!done) note('u', name, 0, 0, NULL);
    pthread_mutex_unlock(&in_order);
    return done;
}
