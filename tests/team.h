/* Several processes in one: threads with a context each, joined as an engine joins processes. */
#ifndef CAFE_TEST_TEAM_H
#define CAFE_TEST_TEAM_H

#include <pthread.h>

#include "base/memory.h"
#include "base/processes.h"
#include "test_io.h"

enum { MOST_MEMBERS = 8 };

typedef struct team_room {
    pthread_barrier_t barrier;
    int32_t ranks;
    struct team_member {
        cafe_team team;
        struct team_room *room;
        cafe_context *context;
        const char *give;
        const int64_t *sizes;
        cafe_status status;
        char text[1024];
        void (*work)(struct team_member *member, void *argument);
        void *argument;
    } members[MOST_MEMBERS];
} team_room;

typedef struct team_member team_member;

static team_member *member_of(const void *state) {
    const team_member *own = state;
    return &own->room->members[own->team.rank];
}

static cafe_status team_agree(cafe_context *context, const void *state, cafe_status status) {
    team_member *m = member_of(state);
    team_room *room = m->room;
    const team_member *worst = NULL;
    m->status = status;
    snprintf(m->text, sizeof m->text, "%s", context->error);
    pthread_barrier_wait(&room->barrier);
    for (int32_t r = 0; r < room->ranks && !worst; r++)
        if (room->members[r].status != CAFE_OK) worst = &room->members[r];
    cafe_status agreed = worst ? worst->status : CAFE_OK;
    if (worst && worst != m) cafe_fail(context, agreed, "%s", worst->text);
    pthread_barrier_wait(&room->barrier);
    return agreed;
}

static cafe_status team_exchange(cafe_context *context, const void *state, const void *give,
                                 const int64_t *sizes, void **got, int64_t *got_sizes) {
    team_member *m = member_of(state);
    team_room *room = m->room;
    int64_t bytes = 0;
    m->give = give;
    m->sizes = sizes;
    pthread_barrier_wait(&room->barrier);
    for (int32_t r = 0; r < room->ranks; r++) bytes += room->members[r].sizes[m->team.rank];
    char *at = *got = cafe_mem(context, bytes, 1);
    assert_non_null(at);
    for (int32_t r = 0; r < room->ranks; r++) {
        const team_member *from = &room->members[r];
        int64_t before = 0;
        for (int32_t q = 0; q < m->team.rank; q++) before += from->sizes[q];
        got_sizes[r] = from->sizes[m->team.rank];
        if (got_sizes[r] > 0) memcpy(at, from->give + before, (size_t)got_sizes[r]);
        at += got_sizes[r];
    }
    pthread_barrier_wait(&room->barrier);
    return CAFE_OK;
}

static void *team_run_member(void *argument) {
    team_member *m = argument;
    m->work(m, m->argument);
    return NULL;
}

/* work(member, argument) by as many members at once; each has its context. */
TEST_UNUSED static void team_run(int32_t ranks, void (*work)(team_member *, void *),
                                 void *argument) {
    team_room room = {.ranks = ranks};
    pthread_t threads[MOST_MEMBERS];
    pthread_barrier_init(&room.barrier, NULL, (unsigned)ranks);
    for (int32_t r = 0; r < ranks; r++) {
        team_member *m = &room.members[r];
        *m = (team_member){.room = &room, .work = work, .argument = argument};
        m->team = (cafe_team){r, ranks, m, team_agree, team_exchange};
        m->context = test_context(2, 1);
        if (ranks > 1) m->context->team = &m->team;
    }
    for (int32_t r = 0; r < ranks; r++)
        pthread_create(&threads[r], NULL, team_run_member, &room.members[r]);
    for (int32_t r = 0; r < ranks; r++) pthread_join(threads[r], NULL);
    for (int32_t r = 0; r < ranks; r++) cafe_context_free(room.members[r].context);
    pthread_barrier_destroy(&room.barrier);
}

#endif
