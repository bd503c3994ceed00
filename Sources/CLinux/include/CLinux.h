// Linux calls that Swift's Glibc module does not show. Only prototypes, and no header of the C
// library: what a header declares here, `struct stat` say, would belong to this module in Swift's
// eyes, and every file that uses it would have to import CLinux.
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

/// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS: `path` is opened below `directory`,
/// no link is followed on the way, nothing leads out. Returns a descriptor, or -1 with errno.
int diary_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode);

/// The kind of file system that `descriptor` lies on (statfs(2) f_type), or -1 with errno.
int64_t diary_file_system_kind(int descriptor);

/// syncfs(2): waits until the whole file system of `descriptor` is on the disk. 0, or -1 with errno.
int diary_syncfs(int descriptor);

/// eventfd(2), non-blocking and closed on exec.
int diary_eventfd(void);

/// A timerfd(2) that becomes readable once, so many nanoseconds (at least one) from now; the time in
/// which the machine sleeps counts. Or -1 with errno.
int diary_timer(int64_t nanoseconds);

/// getdents64(2). Returns the bytes filled in, 0 at the end, or -1 with errno.
long diary_getdents(int folder, void *buffer, unsigned int size);

/// Gives `to` the extended attributes of `from` (access lists among them), as far as the system
/// permits: what cannot be copied is left out.
void diary_copy_attributes(int from, int to);

/// Gives back what a process that is about to wait for long need not hold: freed memory
/// (malloc_trim(3)), and the pages of its program's and libraries' code and of the packs that it has
/// mapped (madvise(2) with MADV_DONTNEED), which come back from the files, or the system's cache of
/// them, when they are needed.
void diary_give_memory_back(void);

/// strerrordesc_np(3): the words for an errno, untranslated; NULL for an unknown one.
const char *diary_error_words(int code);

#endif
