/* CAFE_INLINE: the attributes of functions in headers. A device's compiler, which reads these
 * headers too, defines CAFE_INLINE before it includes them. */
#ifndef CAFE_BASE_INLINE_H
#define CAFE_BASE_INLINE_H

#ifndef CAFE_INLINE
#define CAFE_INLINE static inline
#endif

#endif
