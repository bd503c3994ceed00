#include "CHTML.h"

#include <dlfcn.h>
#include <libxml/HTMLparser.h>
#include <string.h>

struct handlers {
  void *context;
  diary_html_start start;
  diary_html_end end;
  diary_html_text text;
};

static void on_start(void *data, const xmlChar *name, const xmlChar **attributes) {
  struct handlers *handlers = data;
  handlers->start(handlers->context, (const char *)name, (const char **)attributes);
}

static void on_end(void *data, const xmlChar *name) {
  struct handlers *handlers = data;
  handlers->end(handlers->context, (const char *)name);
}

static void on_text(void *data, const xmlChar *text, int length) {
  struct handlers *handlers = data;
  handlers->text(handlers->context, (const char *)text, length);
}

static void on_error(void *data, const char *message, ...) {
  (void)data;
  (void)message;
}

int diary_html_parse(
    const char *bytes, int length, void *context, diary_html_start start, diary_html_end end,
    diary_html_text text) {
  // The soname in Debian 12, and the one in later releases.
  void *library = dlopen("libxml2.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libxml2.so.16", RTLD_NOW | RTLD_LOCAL);
  if (!library) return -1;
  __typeof__(htmlCreatePushParserCtxt) *create = dlsym(library, "htmlCreatePushParserCtxt");
  __typeof__(htmlCtxtUseOptions) *set_options = dlsym(library, "htmlCtxtUseOptions");
  __typeof__(htmlParseChunk) *parse = dlsym(library, "htmlParseChunk");
  __typeof__(htmlFreeParserCtxt) *destroy = dlsym(library, "htmlFreeParserCtxt");
  if (!create || !set_options || !parse || !destroy) return -1;
  struct handlers handlers = {context, start, end, text};
  htmlSAXHandler sax;
  memset(&sax, 0, sizeof sax);
  sax.startElement = on_start;
  sax.endElement = on_end;
  sax.characters = on_text;
  sax.cdataBlock = on_text;
  sax.ignorableWhitespace = on_text;
  sax.error = on_error;
  sax.warning = on_error;
  sax.fatalError = on_error;
  htmlParserCtxtPtr parser = create(&sax, &handlers, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
  if (!parser) return -1;
  // The bytes are UTF-8, even if a <meta> element declares the encoding of the original file.
  // An invalid character does not end the document.
  set_options(parser, HTML_PARSE_IGNORE_ENC | HTML_PARSE_RECOVER);
  // Parse in pieces: a single piece with all bytes would be copied and enlarged by libxml2.
  for (int offset = 0; offset < length;) {
    int end = length - offset < 65536 ? length : offset + 65536;
    // Do not split a character.
    while (end < length && end > offset && (bytes[end] & 0xC0) == 0x80) end--;
    parse(parser, bytes + offset, end - offset, 0);
    offset = end;
  }
  parse(parser, bytes, 0, 1);
  destroy(parser);
  return 0;
}
