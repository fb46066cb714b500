/* Progress in a browser: without threads nobody can ask, so that the run itself reports. The page
 * gives the function Module.onProgress(phase, step, steps).
 */
#include <emscripten.h>

#include "os/os.h"

EM_JS(void, cafe_page_progress, (const char *phase, double step, double steps), {
    if (Module["onProgress"]) Module["onProgress"](UTF8ToString(phase), step, steps);
});

void cafe_os_progress(const char *phase, int64_t step, int64_t steps) {
    cafe_page_progress(phase, (double)step, (double)steps);
}
