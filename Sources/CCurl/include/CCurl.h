// One GET of a web address, by libcurl. The library is opened by the first one: it brings thirty others
// along, and a start of the program should not wait for them.
#ifndef DIARY_CCURL_H
#define DIARY_CCURL_H

#include <stddef.h>

/// Takes the next bytes of the body; whatever is not 0 ends the transfer.
typedef int (*diary_curl_body)(void *context, const char *bytes, size_t length);

/// Asked about once a second; whatever is not 0 ends the transfer.
typedef int (*diary_curl_cancelled)(void *context);

/// Takes the address that the server sends the request on to.
typedef void (*diary_curl_redirect)(void *context, const char *address);

enum diary_curl_end {
  diary_curl_done,
  diary_curl_late,
  /// `body` wanted no more.
  diary_curl_stopped,
  /// The connection ended before the answer did.
  diary_curl_broken,
  diary_curl_unknown_host,
  diary_curl_refused,
  diary_curl_no_network,
  diary_curl_insecure,
  diary_curl_other,
  /// libcurl cannot be opened.
  diary_curl_missing,
};

struct diary_curl_answer {
  enum diary_curl_end end;
  /// libcurl's number for the end.
  int code;
  /// The status of the answer; 0 before there is one.
  long status;
  /// The seconds of `Retry-After`; 0 without one.
  long long retry_after;
};

/// Blocks until the answer is whole, but no longer than `milliseconds` (at least 1). It follows no
/// redirect, keeps no cookie, and speaks HTTP and HTTPS alone.
struct diary_curl_answer diary_curl_get(
    const char *address, const char *agent, long milliseconds, void *context,
    diary_curl_body body, diary_curl_redirect redirect, diary_curl_cancelled cancelled);

#endif
