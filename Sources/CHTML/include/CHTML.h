// HTML as a stream of events, read by libxml2. The library is opened when the first HTML is read: it
// brings others along, and a start of the program should not wait for them.
#ifndef DIARY_CHTML_H
#define DIARY_CHTML_H

typedef void (*diary_html_start)(void *context, const char *name, const char **attributes);
typedef void (*diary_html_end)(void *context, const char *name);
typedef void (*diary_html_text)(void *context, const char *text, int length);

/// Reads UTF-8. `attributes` are names and values in turn, ended by NULL; a value may be NULL.
/// Returns 0, or -1 when libxml2 cannot be opened.
int diary_html_parse(
    const char *bytes, int length, void *context, diary_html_start start, diary_html_end end,
    diary_html_text text);

#endif
