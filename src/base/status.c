/* Names and messages of the status codes, from their one table. */
#include <cafe-private/text.h>
#include <cafe/status.h>

const char *cafe_status_name(cafe_status status) {
    switch (status) {
#define CASE(name, code, text) \
    case name: return #name;
        CAFE_STATUS_TABLE(CASE)
#undef CASE
    }
    return "CAFE_ERROR_UNKNOWN";
}

const char *cafe_status_message(cafe_status status) {
    switch (status) {
#define CASE(name, code, text) \
    case name: return text;
        CAFE_STATUS_TABLE(CASE)
#undef CASE
    }
    return "unknown status";
}
