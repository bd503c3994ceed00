// Linux calls that Swift's Glibc module does not show. It has only prototypes and includes no
// header of the C library: Swift would assign its declarations, such as `struct stat`, to this
// module, and every file that uses them would have to import CLinux.
#ifndef DIARY_CLINUX_H
#define DIARY_CLINUX_H

#include <stdint.h>

#define DIARY_RENAME_NOREPLACE 1u
#define DIARY_RENAME_EXCHANGE 2u

/// O_PATH of open(2).
extern const int diary_path_only;

/// renameat2(2). Returns 0, or -1 with errno.
int diary_renameat2(
    int oldDirectory, const char *oldName, int newDirectory, const char *newName,
    unsigned int flags);

/// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS: opens `path` below `directory`, follows
/// no link and never leaves it. Returns a descriptor, or -1 with errno.
int diary_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode);

/// Returns the type of `descriptor`'s file system (statfs(2) f_type), or -1 with errno.
int64_t diary_file_system_kind(int descriptor);

/// Returns 1 if the folder of `descriptor` is the root of a mount (statx(2)), 0 if it is not, or -1
/// if the kernel cannot tell.
int diary_is_mount_root(int descriptor);

/// Returns 1 if the file system of `descriptor` is one in which gocryptfs shows files (mountinfo);
/// otherwise 0.
int diary_is_on_gocryptfs(int descriptor);

/// Returns 1 if `path` below `directory` is a folder of encrypted files (it has `gocryptfs.diriv`), or
/// one in which they are shown; otherwise 0. A copy of `gocryptfs.conf` alone tells nothing.
int diary_is_encrypted_folder(int directory, const char *path);

/// Returns 1 if syncfs(2) writes everything of `descriptor`'s file system to the disk: ext2 to ext4,
/// XFS, btrfs, and tmpfs, which has no disk. Others, such as FUSE, may answer without a flush.
int diary_syncfs_flushes(int descriptor);

/// syncfs(2): waits until the whole file system of `descriptor` is on disk. 0, or -1 with errno.
int diary_syncfs(int descriptor);

/// memfd_create(2): an empty file in memory, closed on exec. A descriptor, or -1 with errno.
int diary_memory_file(const char *name);

/// pidfd_open(2): a descriptor that becomes readable when a process ends, or -1 with errno.
int diary_process_descriptor(int process);

/// eventfd(2), non-blocking and closed on exec.
int diary_eventfd(void);

/// Creates a timerfd(2) that becomes readable once, after these nanoseconds (at least one); time in
/// which the machine sleeps counts. Returns a descriptor, or -1 with errno.
int diary_timer(int64_t nanoseconds);

/// getdents64(2). Returns the bytes filled in, 0 at the end, or -1 with errno.
long diary_getdents(int folder, void *buffer, unsigned int size);

/// Copies the extended attributes of `from` (access lists among them) to `to`, as far as the system
/// permits: others are skipped.
void diary_copy_attributes(int from, int to);

/// Releases memory that an idle process does not need: freed memory (malloc_trim(3)), and the pages
/// of its program's and libraries' code and of mapped packs (madvise(2) with MADV_DONTNEED). They
/// are read again from the files, or the system's cache, when they are needed.
void diary_give_memory_back(void);

/// strerrordesc_np(3): the message of an errno, untranslated; NULL for an unknown one.
const char *diary_error_words(int code);

/// Asks the kernel (sock_diag(7)) for the user of the open TCP socket at `port` of 127.0.0.1 that is connected to
/// `server` there. Returns 1 if it is `user`, 0 if it is another one or its program has closed the socket, or -1 if
/// the kernel does not answer.
int diary_is_socket_of(uint16_t port, uint16_t server, uint32_t user);

#endif
