/*
 * Loaded into a database server: holds one of its threads at what a debugger could stop it at. MariaDB's commit moves the
 * log and takes the transaction from the list of the running right afterwards, without waiting in between. Whoever asks
 * where the log stands waits for the latch that the first step holds; so the thread is slowed down where it takes mutexes,
 * which lets somebody come and wait, and held once, where it has woken whoever waited.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hold {
  volatile long thread;
  volatile long at_mutex;
  volatile long at_wake;
};

static struct hold *hold;
static int (*lock)(pthread_mutex_t *);
static long (*call)(long, ...);

__attribute__((constructor)) static void start(void) {
  lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  call = dlsym(RTLD_NEXT, "syscall");
  const char *path = getenv("HOLD_FILE");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *mapped = mmap(0, sizeof *hold, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) hold = mapped;
}

static int is_held(void) { return hold && hold->thread && hold->thread == call(SYS_gettid); }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (!lock) lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  if (is_held()) usleep(hold->at_mutex);
  return lock(mutex);
}

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (!call) call = dlsym(RTLD_NEXT, "syscall");
  long result = call(number, a, b, c, d, e, f);
  if (number == SYS_futex && (b & FUTEX_CMD_MASK) == FUTEX_WAKE && is_held()) {
    hold->thread = 0;
    usleep(hold->at_wake);
  }
  return result;
}
