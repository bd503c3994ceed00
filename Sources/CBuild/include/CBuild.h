// The build information that `make install` sets.
#ifndef DIARY_CBUILD_H
#define DIARY_CBUILD_H

/// The commit that was built, with `+` if a file was modified; NULL in any other build.
const char *diary_build_commit(void);

/// The version of the compiler and of Swift's libraries; NULL in any other build.
const char *diary_build_swift(void);

#endif
