import CLinux

/// Gives back the memory that a watcher at rest need not hold: what was freed, and the code that has
/// run. Code is read again from the system's cache as it is needed, within a millisecond.
package func releaseMemory() { diary_give_memory_back() }
