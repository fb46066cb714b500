/* CAFE_PRIVATE marks what the tool and the Python package use besides the public headers. These
 * functions may change with any release: they are exported under the version CAFE_PRIVATE_x.y.z,
 * and the headers of this folder are not installed.
 */
#ifndef CAFE_PRIVATE_PRIVATE_H
#define CAFE_PRIVATE_PRIVATE_H

#include <cafe/status.h>

#define CAFE_PRIVATE CAFE_API

#endif
