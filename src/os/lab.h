/* CAFE_LAB marks what libcafe-lab uses of the inside of libcafe. cmake/Exports.cmake exports these
 * names for that library alone, under a version of their own. */
#ifndef CAFE_OS_LAB_H
#define CAFE_OS_LAB_H

#include <cafe/status.h>

#define CAFE_LAB CAFE_API

#endif
