// One HTTP GET, by libcurl. The library is opened at the first request: it loads thirty others,
// which would delay the start of the program.
#ifndef DIARY_CCURL_H
#define DIARY_CCURL_H

#include <stddef.h>

/// Receives the next bytes of the body; any result but 0 ends the transfer.
typedef int (*diary_curl_body)(void *context, const char *bytes, size_t length);

/// Called about once a second; any result but 0 ends the transfer.
typedef int (*diary_curl_cancelled)(void *context);

/// Receives the address that the server redirects to.
typedef void (*diary_curl_redirect)(void *context, const char *address);

enum diary_curl_end {
  diary_curl_done,
  diary_curl_late,
  /// The `body` callback ended the transfer.
  diary_curl_stopped,
  /// The connection ended before the answer was complete.
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
  /// libcurl's code for the end.
  int code;
  /// The HTTP status; 0 if there is none.
  long status;
  /// The seconds of `Retry-After`; 0 if it is absent.
  long long retry_after;
};

/// Blocks until the answer is complete, for at most `milliseconds` (at least 1). Follows no
/// redirects, keeps no cookies, and allows only HTTP and HTTPS.
struct diary_curl_answer diary_curl_get(
    const char *address, const char *agent, long milliseconds, void *context,
    diary_curl_body body, diary_curl_redirect redirect, diary_curl_cancelled cancelled);

#endif
