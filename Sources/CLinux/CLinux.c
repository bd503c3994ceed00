#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

const int diary_path_only = O_PATH;

int diary_renameat2(
    int oldDirectory, const char *oldName, int newDirectory, const char *newName,
    unsigned int flags) {
  return (int)syscall(SYS_renameat2, oldDirectory, oldName, newDirectory, newName, flags);
}

int diary_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode) {
  struct open_how how = {0};
  how.flags = flags;
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int64_t diary_file_system_kind(int descriptor) {
  struct statfs answer;
  if (fstatfs(descriptor, &answer) != 0) return -1;
  return (int64_t)answer.f_type;
}

int diary_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

long diary_getdents(int folder, void *buffer, unsigned int size) {
  return syscall(SYS_getdents64, folder, buffer, size);
}

void diary_copy_attributes(int from, int to) {
  char names[16384], value[65536];
  ssize_t length = flistxattr(from, names, sizeof names);
  for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
    ssize_t size = fgetxattr(from, names + at, value, sizeof value);
    if (size >= 0) (void)fsetxattr(to, names + at, value, (size_t)size, 0);
  }
}

const char *diary_error_words(int code) { return strerrordesc_np(code); }

int diary_syncfs(int descriptor) { return syncfs(descriptor); }
