// Runs a program and injects a fault at one of its effects on the disk.
//
//   FaultTracer ROOT REPORT NUMBER FAULT PROGRAM [ARGUMENT...]
//
// An effect is a system call that changes something below ROOT, by the program or a process that it
// starts. Each is counted and written to REPORT as one line: number, call, path. At effect NUMBER
// the FAULT happens: `kill` (all processes, before the effect), `kill-one` (only the calling
// process), `interrupt` (the program gets the signal of Ctrl-C), `fail:ERRNO` (this call fails),
// `failing:ERRNO` (this and all later calls that it can affect), `short` (a write takes only half),
// `none`. `look:ERRNO` instead counts the calls that read something below ROOT, and call NUMBER
// fails. `poor` is a disk without hard links and without exchange of names, from the first call on.
// `cut:FOLDER` kills as `kill` does and stores what each earlier sync found: FOLDER/K is a copy of
// ROOT at effect K, and FOLDER/K.list has the inode with its birth time, the mode and the path of
// each file. Exits with the program's status, or 128 plus the signal's number.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// From <linux/ptrace.h>, which cannot be included together with <sys/ptrace.h>.
struct SyscallInfo {
  unsigned char operation, padding[3];
  unsigned int architecture;
  unsigned long long instruction, stack, number, arguments[6];
  unsigned int answer;
};

// The kind of a call, for the faults that affect only some.
enum { Grows = 1, Opens = 2, Writes = 4, OpensByStruct = 8, Syncs = 16, Looks = 32 };

// The argument indices of the folder's descriptor and of the path; -1: there is none.
struct Call {
  long number;
  const char *name;
  int folder, path, secondFolder, secondPath, kind;
};

static const struct Call calls[] = {
    {SYS_write, "write", 0, -1, -1, -1, Grows | Writes},
    {SYS_pwrite64, "pwrite", 0, -1, -1, -1, Grows | Writes},
    {SYS_writev, "writev", 0, -1, -1, -1, Grows},
    {SYS_pwritev, "pwritev", 0, -1, -1, -1, Grows},
    {SYS_copy_file_range, "copy_file_range", 2, -1, -1, -1, Grows},
    {SYS_fallocate, "fallocate", 0, -1, -1, -1, Grows},
    {SYS_ftruncate, "ftruncate", 0, -1, -1, -1, 0},
    {SYS_fsync, "fsync", 0, -1, -1, -1, Syncs},
    {SYS_fdatasync, "fdatasync", 0, -1, -1, -1, Syncs},
    {SYS_syncfs, "syncfs", 0, -1, -1, -1, Syncs},
    {SYS_fchmod, "fchmod", 0, -1, -1, -1, 0},
    {SYS_openat, "openat", 0, 1, -1, -1, Grows | Opens},
    {SYS_openat2, "openat2", 0, 1, -1, -1, Grows | Opens | OpensByStruct},
    {SYS_renameat2, "renameat2", 0, 1, 2, 3, 0},
    {SYS_linkat, "linkat", 0, 1, 2, 3, Grows},
    {SYS_symlinkat, "symlinkat", 1, 2, -1, -1, Grows},
    {SYS_unlinkat, "unlinkat", 0, 1, -1, -1, 0},
    {SYS_mkdirat, "mkdirat", 0, 1, -1, -1, Grows},
    {SYS_fchmodat, "fchmodat", 0, 1, -1, -1, 0},
    {SYS_utimensat, "utimensat", 0, 1, -1, -1, 0},
    {SYS_truncate, "truncate", -1, 0, -1, -1, 0},
#ifdef SYS_renameat
    {SYS_renameat, "renameat", 0, 1, 2, 3, 0},
#endif
#ifdef SYS_open
    {SYS_open, "open", -1, 0, -1, -1, Grows | Opens},
    {SYS_creat, "creat", -1, 0, -1, -1, Grows},
    {SYS_rename, "rename", -1, 0, -1, 1, 0},
    {SYS_link, "link", -1, 0, -1, 1, Grows},
    {SYS_symlink, "symlink", -1, 1, -1, -1, Grows},
    {SYS_unlink, "unlink", -1, 0, -1, -1, 0},
    {SYS_rmdir, "rmdir", -1, 0, -1, -1, 0},
    {SYS_mkdir, "mkdir", -1, 0, -1, -1, Grows},
    {SYS_chmod, "chmod", -1, 0, -1, -1, 0},
#endif
    // The reading calls come last: they are traced only if they are counted.
    {SYS_read, "read", 0, -1, -1, -1, Looks},
    {SYS_pread64, "pread", 0, -1, -1, -1, Looks},
    {SYS_getdents64, "getdents", 0, -1, -1, -1, Looks},
    {SYS_fstat, "fstat", 0, -1, -1, -1, Looks},
    {SYS_newfstatat, "fstatat", 0, 1, -1, -1, Looks},
    {SYS_statx, "statx", 0, 1, -1, -1, Looks},
    {SYS_faccessat, "faccessat", 0, 1, -1, -1, Looks},
    {SYS_readlinkat, "readlinkat", 0, 1, -1, -1, Looks},
#ifdef SYS_open
    {SYS_stat, "stat", -1, 0, -1, -1, Looks},
    {SYS_lstat, "lstat", -1, 0, -1, -1, Looks},
    {SYS_access, "access", -1, 0, -1, -1, Looks},
    {SYS_readlink, "readlink", -1, 0, -1, -1, Looks},
#endif
};
enum { CallCount = sizeof calls / sizeof *calls };

static const struct {
  const char *name;
  int code;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EROFS", EROFS}, {"EACCES", EACCES},
              {"EINTR", EINTR},   {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT}};

static enum { None, Kill, KillOne, Interrupt, Fail, Failing, Short, Poor } fault;
static int code, isLooking;
static long chosen, effects;
static const char *root, *durable;
static FILE *report;
static pid_t first;
static pid_t known[65536];
static int knownCount;

static void stop(const char *what) {
  perror(what);
  exit(126);
}

static void understand(const char *text) {
  const char *rest = strchr(text, ':');
  if (!strcmp(text, "none")) return;
  if (!strcmp(text, "kill")) fault = Kill;
  else if (!strcmp(text, "kill-one")) fault = KillOne;
  else if (!strcmp(text, "interrupt")) fault = Interrupt;
  else if (!strcmp(text, "short")) fault = Short;
  else if (!strcmp(text, "poor")) fault = Poor;
  else if (!strncmp(text, "cut:", 4)) fault = Kill, durable = rest + 1;
  else if (rest) {
    fault = strncmp(text, "failing", 7) ? Fail : Failing;
    isLooking = !strncmp(text, "look", 4);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
      if (!strcmp(rest + 1, errors[i].name)) code = errors[i].code;
    if (!code) stop(text);
  }
}

// Makes the kernel stop the program only at the calls of the table.
static void filter(void) {
  struct sock_filter lines[CallCount + 3];
  int count = 0;
  while (count < CallCount && (isLooking || !(calls[count].kind & Looks))) count++;
  lines[0] = (struct sock_filter)BPF_STMT(
      BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < count; i++)
    lines[i + 1] = (struct sock_filter)BPF_JUMP(
        BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, count - i, 0);
  lines[count + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  lines[count + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  struct sock_fprog program = {count + 3, lines};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    stop("seccomp");
}

// Reads bytes of the program's memory, up to the end of the readable range.
static ssize_t peek(pid_t task, unsigned long long place, void *into, size_t size) {
  size_t page = 4096 - place % 4096;
  struct iovec here = {into, size};
  struct iovec there[2] = {{(void *)place, size < page ? size : page},
                           {(void *)(place + page), size < page ? 0 : size - page}};
  return process_vm_readv(task, &here, 1, there, 2, 0);
}

// The path of a descriptor, or of a name relative to a folder's descriptor.
static void locate(pid_t task, const struct SyscallInfo *info, int folder, int path, char *into) {
  char name[PATH_MAX + 1] = "", link[64], place[PATH_MAX + 1] = "";
  int descriptor = folder < 0 ? AT_FDCWD : (int)info->arguments[folder];
  if (path >= 0 && info->arguments[path]) {
    ssize_t size = peek(task, info->arguments[path], name, PATH_MAX);
    name[size > 0 ? size : 0] = 0;
  }
  if (name[0] != '/') {
    if (descriptor == AT_FDCWD) snprintf(link, sizeof link, "/proc/%d/cwd", task);
    else snprintf(link, sizeof link, "/proc/%d/fd/%d", task, descriptor);
    ssize_t size = readlink(link, place, PATH_MAX);
    place[size > 0 ? size : 0] = 0;
  }
  snprintf(into, 2 * PATH_MAX + 2, name[0] && name[0] != '/' ? "%s/%s" : "%s%s", place, name);
}

static int isBelow(const char *path) {
  size_t length = strlen(root);
  return !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

// Whether the call is of the counted kind. An open is an effect if it may create or truncate the
// file; otherwise it is a read.
static int counts(pid_t task, const struct Call *call, const struct SyscallInfo *info) {
  unsigned long long flags;
  if (!(call->kind & Opens)) return isLooking == !!(call->kind & Looks);
  if (call->kind & OpensByStruct) {
    if (peek(task, info->arguments[2], &flags, sizeof flags) != sizeof flags) return 0;
  } else {
    flags = info->arguments[call->folder < 0 ? 1 : 2];
  }
  return isLooking == !(flags & (O_CREAT | O_TRUNC));
}

// Whether a lasting error affects the call.
static int touches(const struct Call *call) {
  switch (code) {
    case ENOSPC: case EDQUOT: return (call->kind & Grows) != 0;
    case EACCES: return call->path >= 0;
    case EMFILE: return (call->kind & Opens) != 0;
    default: return 1;
  }
}

// Makes the call fail without executing it. With `size`, reduces its size instead.
static void meddle(pid_t task, int failure, unsigned long long size) {
#if defined(__x86_64__)
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, task, 0, &registers)) stop("registers");
  if (failure) {
    registers.orig_rax = (unsigned long long)-1;
    registers.rax = (unsigned long long)-failure;
  } else {
    registers.rdx = size;
  }
  if (ptrace(PTRACE_SETREGS, task, 0, &registers)) stop("registers");
#elif defined(__aarch64__)
  struct user_regs_struct registers;
  struct iovec whole = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, task, NT_PRSTATUS, &whole)) stop("registers");
  if (failure) {
    int none = -1;
    struct iovec number = {&none, sizeof none};
    if (ptrace(PTRACE_SETREGSET, task, NT_ARM_SYSTEM_CALL, &number)) stop("call");
    registers.regs[0] = (unsigned long long)-failure;
  } else {
    registers.regs[2] = size;
  }
  if (ptrace(PTRACE_SETREGSET, task, NT_PRSTATUS, &whole)) stop("registers");
#else
#error "a call can be made to fail on x86-64 and arm64 only"
#endif
}

// Stores what a sync finds: that is certainly on disk after a power cut.
static void keep(void) {
  static const char *script =
      "cd \"$0\" && cp -a . \"$1\" && "
      "find . -exec stat --printf '%i %w\\t%f\\t%n\\0' {} + >\"$1.list\"";
  char place[PATH_MAX];
  snprintf(place, sizeof place, "%s/%ld", durable, effects);
  int status = 0;
  pid_t child = fork();
  if (!child) {
    execlp("sh", "sh", "-c", script, root, place, (char *)0);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status) stop("keep");
}

static void killAll(void) {
  for (int i = 0; i < knownCount; i++) kill(known[i], SIGKILL);
}

static void atCall(pid_t task) {
  struct SyscallInfo info = {0};
  char path[2 * PATH_MAX + 2], second[2 * PATH_MAX + 2];
  if (ptrace(0x420e, task, sizeof info, &info) <= 0) return;
  const struct Call *call = calls;
  while (call < calls + CallCount && call->number != (long)info.number) call++;
  if (call == calls + CallCount || !counts(task, call, &info)) return;
  locate(task, &info, call->folder, call->path, path);
  if (call->secondPath >= 0) locate(task, &info, call->secondFolder, call->secondPath, second);
  else strcpy(second, path);
  if (!isBelow(path) && !isBelow(second)) return;
  effects++;
  fprintf(report, "%ld\t%s\t%s\n", effects, call->name, isBelow(second) ? second : path);
  int isIt = effects == chosen;
  if (durable && call->kind & Syncs && effects < chosen) keep();
  if (isIt && fault == Kill) killAll();
  if (isIt && fault == KillOne) kill(task, SIGKILL);
  if (isIt && fault == Interrupt) kill(first, SIGINT);
  if (isIt && fault == Fail) meddle(task, code, 0);
  if (isIt && fault == Short && call->kind & Writes && info.arguments[2] > 1)
    meddle(task, 0, info.arguments[2] / 2);
  if (fault == Poor && (call->number == SYS_linkat || !strcmp(call->name, "link")))
    meddle(task, EPERM, 0);
  if (fault == Poor && call->number == SYS_renameat2 && info.arguments[4]) meddle(task, EINVAL, 0);
  if (effects >= chosen && fault == Failing && touches(call)) meddle(task, code, 0);
}

static void pass(int number) { kill(first, number); }

static void notice(pid_t task) {
  for (int i = 0; i < knownCount; i++)
    if (known[i] == task) return;
  if (knownCount < (int)(sizeof known / sizeof *known)) known[knownCount++] = task;
}

static void forget(pid_t task) {
  for (int i = 0; i < knownCount; i++)
    if (known[i] == task) known[i] = known[--knownCount];
}

int main(int count, char **words) {
  if (count < 6) return fprintf(stderr, "ROOT REPORT NUMBER FAULT PROGRAM ...\n"), 126;
  root = words[1];
  chosen = atol(words[3]);
  understand(words[4]);
  first = fork();
  if (first < 0) stop("fork");
  if (!first) {
    raise(SIGSTOP);
    filter();
    execvp(words[5], words + 5);
    stop(words[5]);
  }
  report = fopen(words[2], "w");
  if (!report) stop(words[2]);
  setvbuf(report, NULL, _IOLBF, 0);
  if (durable) keep();
  signal(SIGINT, pass);
  signal(SIGTERM, pass);
  int status = 0, ending = 0;
  if (waitpid(first, &status, WUNTRACED) != first) stop("wait");
  long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                 PTRACE_O_TRACEVFORK | PTRACE_O_TRACESECCOMP;
  if (ptrace(PTRACE_SEIZE, first, 0, options)) stop("trace");
  known[knownCount++] = first;
  kill(first, SIGCONT);
  for (;;) {
    pid_t task = waitpid(-1, &status, __WALL);
    if (task < 0 && errno == EINTR) continue;
    if (task < 0) break;
    if (!WIFSTOPPED(status)) {
      forget(task);
      if (task == first) ending = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    notice(task);
    int event = status >> 16, number = WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP) atCall(task);
    ptrace(PTRACE_CONT, task, 0, event ? 0 : number);
  }
  return ending;
}
