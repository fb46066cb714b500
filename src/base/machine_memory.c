/* Memory of the machine and of this process, and amounts of memory as text. */
#include <cafe/context.h>

#include "base/print.h"
#include "os/os.h"

int64_t cafe_memory_available(void) {
    return cafe_os_memory_available();
}

int64_t cafe_memory_peak(void) {
    return cafe_os_memory_peak();
}

const char *cafe_bytes_text(int64_t bytes, char *text) {
    static const char units[] = "KMGT";
    double value = (double)bytes;
    int unit = -1;
    while (value >= 1000 && unit < 3) {
        value /= 1024;
        unit++;
    }
    if (unit < 0)
        cafe_print(text, CAFE_BYTES_TEXT, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
    else
        cafe_print(text, CAFE_BYTES_TEXT, "%.*f %ciB", value < 10 ? 2 : 1, value, units[unit]);
    return text;
}
