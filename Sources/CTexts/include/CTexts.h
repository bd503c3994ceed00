// The translations, as files of GNU gettext.
#ifndef DIARY_CTEXTS_H
#define DIARY_CTEXTS_H

#include <stddef.h>

struct diary_text {
  const unsigned char *bytes;
  size_t count;
};

struct diary_text diary_ko_po(void);

#endif
