// The headers of libzip, which reads and writes zip archives.
#ifndef DIARY_CZIP_H
#define DIARY_CZIP_H

#include <zip.h>

#endif
