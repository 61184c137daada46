/*
 * Preloaded into a process (LD_PRELOAD): a slow disk. Every flush takes 25 ms, and waits for as long as the file that
 * HELD_FLUSH names exists. Flushes that have begun are recorded in FLUSH_LOG, one byte each: m on the main thread, t on another.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int fdatasync(int fd) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  const char *held = getenv("HELD_FLUSH"), *path = getenv("FLUSH_LOG");
  if (held == NULL || path == NULL) abort();
  int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0 || write(log, getpid() == syscall(SYS_gettid) ? "m" : "t", 1) != 1) abort();
  close(log);
  do usleep(25000);
  while (access(held, F_OK) == 0);
  return real(fd);
}
