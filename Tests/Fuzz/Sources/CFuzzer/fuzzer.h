// libFuzzer's own entry, for a program that keeps its `main`; no header of clang declares it.
#ifndef DIARY_FUZZER_H
#define DIARY_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));

#endif
