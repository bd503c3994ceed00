#include "CCurl.h"

// For CURLOPT_PROTOCOLS, which every libcurl version has.
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

static __typeof__(curl_global_init) *global_init;
static __typeof__(curl_easy_init) *easy_init;
static __typeof__(curl_easy_setopt) *easy_setopt;
static __typeof__(curl_easy_perform) *easy_perform;
static __typeof__(curl_easy_getinfo) *easy_getinfo;
static __typeof__(curl_easy_cleanup) *easy_cleanup;
static __typeof__(curl_slist_append) *slist_append;
static __typeof__(curl_slist_free_all) *slist_free_all;

static int is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  // Debian's build with GnuTLS.
  if (!library) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  global_init = dlsym(library, "curl_global_init");
  easy_init = dlsym(library, "curl_easy_init");
  easy_setopt = dlsym(library, "curl_easy_setopt");
  easy_perform = dlsym(library, "curl_easy_perform");
  easy_getinfo = dlsym(library, "curl_easy_getinfo");
  easy_cleanup = dlsym(library, "curl_easy_cleanup");
  slist_append = dlsym(library, "curl_slist_append");
  slist_free_all = dlsym(library, "curl_slist_free_all");
  is_open = global_init && easy_init && easy_setopt && easy_perform && easy_getinfo &&
            easy_cleanup && slist_append && slist_free_all && global_init(CURL_GLOBAL_ALL) == 0;
}

struct receiver {
  void *context;
  diary_curl_body body;
  diary_curl_cancelled cancelled;
};

static size_t on_body(char *bytes, size_t size, size_t count, void *data) {
  struct receiver *receiver = data;
  return receiver->body(receiver->context, bytes, size * count) == 0 ? size * count : 0;
}

static int on_progress(void *data, curl_off_t all, curl_off_t now, curl_off_t up, curl_off_t sent) {
  struct receiver *receiver = data;
  return receiver->cancelled(receiver->context);
}

static enum diary_curl_end end_of(CURLcode code, long status, long error) {
  switch (code) {
  case CURLE_OK: return diary_curl_done;
  case CURLE_OPERATION_TIMEDOUT: return diary_curl_late;
  case CURLE_WRITE_ERROR: return diary_curl_stopped;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY: return diary_curl_unknown_host;
  case CURLE_COULDNT_CONNECT:
    return error == ENETUNREACH || error == ENETDOWN ? diary_curl_no_network : diary_curl_refused;
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_CIPHER:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_ISSUER_ERROR:
  case CURLE_USE_SSL_FAILED: return diary_curl_insecure;
  // An HTTP/0.9 answer has no status line; libcurl reports it as an unsupported protocol.
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_GOT_NOTHING:
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_PARTIAL_FILE: return diary_curl_broken;
  default: return status ? diary_curl_broken : diary_curl_other;
  }
}

struct diary_curl_answer diary_curl_get(
    const char *address, const char *agent, long milliseconds, void *context,
    diary_curl_body body, diary_curl_redirect redirect, diary_curl_cancelled cancelled) {
  struct diary_curl_answer answer = {diary_curl_missing, 0, 0, 0};
  pthread_once(&once, open_library);
  CURL *easy = is_open ? easy_init() : NULL;
  if (!easy) return answer;
  struct receiver receiver = {context, body, cancelled};
  struct curl_slist *headers = slist_append(NULL, "Accept: application/json");
  easy_setopt(easy, CURLOPT_URL, address);
  easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
  easy_setopt(easy, CURLOPT_USERAGENT, agent);
  easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  // All compressions that this libcurl can decode.
  easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds);
  // Signals are not safe here, because the process has other threads.
  easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  easy_setopt(easy, CURLOPT_WRITEDATA, &receiver);
  easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
  easy_setopt(easy, CURLOPT_XFERINFODATA, &receiver);
  CURLcode code = easy_perform(easy);
  long error = 0;
  char *target = NULL;
  curl_off_t wait = 0;
  easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
  easy_getinfo(easy, CURLINFO_OS_ERRNO, &error);
  easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
  easy_getinfo(easy, CURLINFO_REDIRECT_URL, &target);
  answer.retry_after = wait;
  answer.code = code;
  answer.end = end_of(code, answer.status, error);
  if (target) redirect(context, target);
  easy_cleanup(easy);
  slist_free_all(headers);
  return answer;
}
