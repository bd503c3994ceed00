import CLinux

/// Releases memory that an idle watcher does not need: freed memory, and code that has run. Code is
/// read again from the system's cache when it is needed, within a millisecond.
package func releaseMemory() { diary_give_memory_back() }
