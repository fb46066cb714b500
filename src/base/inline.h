/* Functions in headers that a device's compiler takes too, which says so before it reads them. */
#ifndef CAFE_BASE_INLINE_H
#define CAFE_BASE_INLINE_H

#ifndef CAFE_INLINE
#define CAFE_INLINE static inline
#endif

#endif
