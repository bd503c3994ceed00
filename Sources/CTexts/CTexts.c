#include "CTexts.h"

// Swift needs minutes to compile a literal of this size, and C none.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char ko_po[] = {
#embed "../Localization/Translations/ko.po"
};

struct diary_text diary_ko_po(void) { return (struct diary_text){ko_po, sizeof ko_po}; }
