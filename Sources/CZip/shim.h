// libzip's headers: zip archives, read item by item and written.
#ifndef DIARY_CZIP_H
#define DIARY_CZIP_H

#include <zip.h>

#endif
