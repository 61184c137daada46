/*
 * Preloaded into a process (LD_PRELOAD): records what reaches the disk and when, so that a test can tell what a power cut
 * leaves behind. DISK_LOG names the file to record in; DISK_FILES is how the names of the watched files end, with colons between.
 *
 * Records: a letter, the number of the watched file in one byte, an 8-byte offset, an 8-byte length, and the bytes.
 *   w  written to a watched file: may be lost until the next s of that file
 *   d  written through a descriptor with O_DSYNC: on the disk
 *   s  fsync or fdatasync of a watched file returned 0
 *   a  about to be written to standard output: an acknowledgement
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;

static void put(const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    long done = syscall(SYS_write, log_fd, at, length);
    if (done <= 0) abort();
    at += done;
    length -= (size_t)done;
  }
}

static void record(char kind, int file, int64_t offset, const struct iovec *pieces, int count, size_t length) {
  pthread_mutex_lock(&lock);
  if (log_fd < 0) {
    const char *path = getenv("DISK_LOG");
    if (path != NULL) log_fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_fd < 0) abort();
  }
  int64_t head[2] = {offset, (int64_t)length};
  char begin[2] = {kind, (char)file};
  put(begin, sizeof begin);
  put(head, sizeof head);
  for (int at = 0; at < count && length > 0; at++) {
    size_t part = pieces[at].iov_len < length ? pieces[at].iov_len : length;
    put(pieces[at].iov_base, part);
    length -= part;
  }
  pthread_mutex_unlock(&lock);
}

/* Returns the number of the watched file, from 1 on; 0 for any other. */
static int watched(int fd) {
  char link[64], path[4096];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (length < 0) return 0;
  int number = 1;
  for (const char *end = getenv("DISK_FILES"); end != NULL; number++) {
    const char *colon = strchr(end, ':');
    ssize_t wanted = colon == NULL ? (ssize_t)strlen(end) : colon - end;
    if (length >= wanted && memcmp(path + length - wanted, end, (size_t)wanted) == 0) return number;
    end = colon == NULL ? NULL : colon + 1;
  }
  return 0;
}

static void written(int fd, int64_t offset, const struct iovec *pieces, int count, ssize_t length) {
  int file = length <= 0 ? 0 : watched(fd);
  if (file == 0) return;
  int saved = errno;
  record(fcntl(fd, F_GETFL) & O_DSYNC ? 'd' : 'w', file, offset, pieces, count, (size_t)length);
  errno = saved;
}

#define REAL(name) static __typeof__(name) *real; if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static ssize_t logged_pwrite(ssize_t done, int fd, const void *bytes, int64_t offset) {
  struct iovec piece = {(void *)bytes, done > 0 ? (size_t)done : 0};
  written(fd, offset, &piece, 1, done);
  return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  REAL(pwrite);
  return logged_pwrite(real(fd, bytes, length, offset), fd, bytes, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(pwrite64);
  return logged_pwrite(real(fd, bytes, length, offset), fd, bytes, offset);
}

ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t offset) {
  REAL(pwritev);
  ssize_t done = real(fd, pieces, count, offset);
  written(fd, offset, pieces, count, done);
  return done;
}

ssize_t pwritev64(int fd, const struct iovec *pieces, int count, off64_t offset) {
  REAL(pwritev64);
  ssize_t done = real(fd, pieces, count, offset);
  written(fd, offset, pieces, count, done);
  return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write);
  struct iovec piece = {(void *)bytes, length};
  if (fd == 1) {
    record('a', 0, 0, &piece, 1, length);
    return real(fd, bytes, length);
  }
  if (watched(fd) == 0) return real(fd, bytes, length);
  int64_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t done = real(fd, bytes, length);
  written(fd, offset, &piece, 1, done);
  return done;
}

ssize_t writev(int fd, const struct iovec *pieces, int count) {
  REAL(writev);
  if (watched(fd) == 0) return real(fd, pieces, count);
  int64_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t done = real(fd, pieces, count);
  written(fd, offset, pieces, count, done);
  return done;
}

static int synced(int result, int fd) {
  int file = result == 0 ? watched(fd) : 0;
  if (file != 0) record('s', file, 0, NULL, 0, 0);
  return result;
}

int fdatasync(int fd) {
  REAL(fdatasync);
  return synced(real(fd), fd);
}

int fsync(int fd) {
  REAL(fsync);
  return synced(real(fd), fd);
}
