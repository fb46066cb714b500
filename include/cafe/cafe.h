/* Cafe: graphs and tables into vectors and communities that can be explained and checked. */
#ifndef CAFE_CAFE_H
#define CAFE_CAFE_H

#define CAFE_VERSION_MAJOR 0
#define CAFE_VERSION_MINOR 1
#define CAFE_VERSION_PATCH 0

#include <cafe/arrow.h>
#include <cafe/bounds.h>
#include <cafe/cluster.h>
#include <cafe/context.h>
#include <cafe/embedding.h>
#include <cafe/engine.h>
#include <cafe/explain.h>
#include <cafe/facts.h>
#include <cafe/files.h>
#include <cafe/graph.h>
#include <cafe/labels.h>
#include <cafe/method.h>
#include <cafe/operator.h>
#include <cafe/option.h>
#include <cafe/reduce.h>
#include <cafe/report.h>
#include <cafe/run.h>
#include <cafe/sample.h>
#include <cafe/status.h>
#include <cafe/storage.h>
#include <cafe/update.h>

#endif
