// HTML as a stream of events from libxml2. The library is loaded for the first HTML text: it loads
// other libraries, which would delay the start of the program.
#ifndef DIARY_CHTML_H
#define DIARY_CHTML_H

typedef void (*diary_html_start)(void *context, const char *name, const char **attributes);
typedef void (*diary_html_end)(void *context, const char *name);
typedef void (*diary_html_text)(void *context, const char *text, int length);

/// Parses UTF-8. `attributes` contains names and values in turn and ends with NULL; a value may be
/// NULL. Returns 0, or -1 if libxml2 cannot be loaded.
int diary_html_parse(
    const char *bytes, int length, void *context, diary_html_start start, diary_html_end end,
    diary_html_text text);

#endif
