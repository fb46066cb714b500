/* The search for the wanted pairs in a Krylov space. */
#ifndef CAFE_SPECTRAL_KRYLOV_SEARCH_H
#define CAFE_SPECTRAL_KRYLOV_SEARCH_H

#include "spectral/krylov.h"

/* Until the wanted pairs are found by their estimates, and no copy of them is missing, or the
 * passes are used up or would not do. Another call goes on. */
cafe_status cafe_krylov_search(cafe_context *context, cafe_krylov *k);

#endif
