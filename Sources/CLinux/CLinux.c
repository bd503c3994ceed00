#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
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

// Swift's libraries need it, and glibc has it since 2.36; with this one the programs run with 2.35.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t number;
  while (syscall(SYS_getrandom, &number, sizeof number, 0) != sizeof number)
    if (errno != EINTR) abort();
  return number;
}

int64_t diary_file_system_kind(int descriptor) {
  struct statfs answer;
  if (fstatfs(descriptor, &answer) != 0) return -1;
  return (int64_t)answer.f_type;
}

int diary_syncfs_flushes(int descriptor) {
  // The magic numbers of linux/magic.h. Some architectures sign-extend them.
  switch (diary_file_system_kind(descriptor) & 0xFFFFFFFF) {
    case 0xEF53: case 0x58465342: case 0x9123683E: case 0x01021994: return 1;
    default: return 0;
  }
}

int diary_process_descriptor(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int diary_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int diary_is_mount_root(int descriptor) {
  const uint64_t root = 0x2000;  // STATX_ATTR_MOUNT_ROOT, which older headers lack.
  struct statx answer;
  if (statx(descriptor, "", AT_EMPTY_PATH, 0, &answer) != 0) return -1;
  if (!(answer.stx_attributes_mask & root)) return -1;
  return (answer.stx_attributes & root) != 0;
}

int diary_is_on_gocryptfs(int descriptor) {
  struct stat status;
  // Of the FUSE file systems, only the list of mounts has the kind.
  if ((diary_file_system_kind(descriptor) & 0xFFFFFFFF) != 0x65735546) return 0;
  FILE *mounts = fstat(descriptor, &status) == 0 ? fopen("/proc/self/mountinfo", "re") : NULL;
  if (!mounts) return 0;
  char *line = NULL;
  size_t capacity = 0;
  unsigned int major, minor;
  int found = 0;
  while (!found && getline(&line, &capacity, mounts) > 0)
    found = sscanf(line, "%*d %*d %u:%u", &major, &minor) == 2 &&
        makedev(major, minor) == status.st_dev && strstr(line, " - fuse.gocryptfs ");
  free(line);
  fclose(mounts);
  return found;
}

int diary_is_encrypted_folder(int directory, const char *path) {
  int folder = openat(directory, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return 0;
  struct stat own, parent;
  int found = faccessat(folder, "gocryptfs.diriv", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
      (fstat(folder, &own) == 0 && fstatat(folder, "..", &parent, 0) == 0 &&
       own.st_dev != parent.st_dev && diary_is_on_gocryptfs(folder));
  close(folder);
  return found;
}

int diary_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int diary_timer(int64_t nanoseconds) {
  int timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) return -1;
  struct itimerspec when = {0};
  when.it_value.tv_sec = nanoseconds / 1000000000;
  when.it_value.tv_nsec = nanoseconds % 1000000000;
  if (timerfd_settime(timer, 0, &when, NULL) == 0) return timer;
  int code = errno;
  close(timer);
  errno = code;
  return -1;
}

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

// An object whose code was changed during loading has pages that are in no file.
static int has_changed_code(const struct dl_phdr_info *object, const ElfW(Phdr) *part) {
  const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + part->p_vaddr);
  for (; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_TEXTREL) return 1;
    if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return 1;
  }
  return 0;
}

static int let_code_go(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  const ElfW(Phdr) *parts = object->dlpi_phdr, *end = parts + object->dlpi_phnum;
  for (const ElfW(Phdr) *part = parts; part < end; part++) {
    if (part->p_type == PT_DYNAMIC && has_changed_code(object, part)) return 0;
  }
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (const ElfW(Phdr) *part = parts; part < end; part++) {
    if (part->p_type != PT_LOAD || (part->p_flags & (PF_X | PF_W)) != PF_X) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    uintptr_t stop = (object->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
    // Pages that cannot be released (the kernel's vDSO) stay.
    (void)madvise((void *)start, stop - start, MADV_DONTNEED);
  }
  return 0;
}

// Releases the pages of git's packs, which libgit2 keeps mapped: pages once read would stay.
static void let_packs_go(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return;
  char line[8192];
  while (fgets(line, sizeof line, maps)) {
    unsigned long start, stop;
    char mode[5];
    size_t length = strcspn(line, "\n");
    // The mapping is read-only, so that every page of it is in the file.
    if (sscanf(line, "%lx-%lx %4s", &start, &stop, mode) != 3 || strncmp(mode, "r--", 3)) continue;
    if ((length > 5 && !strncmp(line + length - 5, ".pack", 5)) ||
        (length > 4 && !strncmp(line + length - 4, ".idx", 4)))
      (void)madvise((void *)start, stop - start, MADV_DONTNEED);
  }
  fclose(maps);
}

void diary_give_memory_back(void) {
  malloc_trim(0);
  dl_iterate_phdr(let_code_go, NULL);
  let_packs_go();
}

int diary_is_socket_of(uint16_t port, uint16_t server, uint32_t user) {
  struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 asked;
  } request = {
      .head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
      .asked = {
          .sdiag_family = AF_INET,
          .sdiag_protocol = IPPROTO_TCP,
          .idiag_states = UINT32_MAX,
          .id = {
              .idiag_sport = htons(port),
              .idiag_dport = htons(server),
              .idiag_src = {htonl(INADDR_LOOPBACK)},
              .idiag_dst = {htonl(INADDR_LOOPBACK)},
              .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
          },
      },
  };
  struct {
    struct nlmsghdr head;
    struct inet_diag_msg found;
    char rest[1024];
  } answer = {0};
  int kernel = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (kernel < 0) return -1;
  ssize_t count = -1;
  if (send(kernel, &request, sizeof request, 0) == (ssize_t)sizeof request)
    count = recv(kernel, &answer, sizeof answer, 0);
  close(kernel);
  if (count < (ssize_t)(sizeof answer.head + sizeof answer.found) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return -1;
  return answer.found.idiag_uid == user && answer.found.idiag_inode != 0;
}
