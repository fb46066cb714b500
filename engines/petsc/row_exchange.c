/* Sends rows from a process to others, chunk by chunk. */
#include <string.h>

#include "sweep.h"

enum { TAG = 7 };

static cafe_status post_receives(cafe_context *context, petsc_sweep *s) {
    const petsc_state *state = s->state;
    const petsc_graph *g = s->graph;
    petsc_plan *plan = &s->plan;
    const int64_t *starts = plan->receive_starts + s->chunk * g->senders, from = starts[0];
    cafe_status status = CAFE_OK;
    for (PetscInt i = 0; i < g->senders; i++) {
        int64_t count = (starts[i + 1] - starts[i]) * s->h->stride;
        if (count > 0)
            PETSC_MPI(MPI_Irecv(plan->incoming + (starts[i] - from) * s->h->stride, (int)count,
                                MPI_FLOAT, (int)g->from[i], TAG, state->comm,
                                &plan->requests[plan->count++]));
    }
done:
    return status;
}

static void pack(const petsc_sweep *s, int64_t first, int64_t last, float *to) {
    int64_t stride = s->h->stride;
    for (int64_t i = first; i < last; i++)
        memcpy(to + (i - first) * stride, s->h->x + (int64_t)s->plan.send[i] * stride,
               (size_t)stride * sizeof *to);
}

cafe_status petsc_send(cafe_context *context, petsc_sweep *s) {
    petsc_state *state = s->state;
    const petsc_graph *g = s->graph;
    petsc_plan *plan = &s->plan;
    const int64_t *starts = plan->send_starts + s->chunk * g->receivers, from = starts[0];
    cafe_status status = CAFE_OK;
    s->sender = s->chunk;
    CAFE_TRY(post_receives(context, s));
    for (PetscInt i = 0; i < g->receivers; i++) {
        int64_t count = (starts[i + 1] - starts[i]) * s->h->stride;
        float *rows = plan->outgoing + (starts[i] - from) * s->h->stride;
        if (count == 0) continue;
        pack(s, starts[i], starts[i + 1], rows);
        state->sent += count * (int64_t)sizeof *rows;
        PETSC_MPI(MPI_Isend(rows, (int)count, MPI_FLOAT, (int)g->to[i], TAG, state->comm,
                            &plan->requests[plan->count++]));
    }
done:
    return status;
}

/* <Delta_u, Delta_w> for edges to ghosts of the chunk, while their old rows stand. */
static void weigh_ghosts(petsc_sweep *s) {
    const petsc_plan *plan = &s->plan;
    int64_t stride = s->h->stride, first = plan->receive_starts[s->sender * s->graph->senders];
    for (int64_t j = plan->cross_starts[s->sender]; j < plan->cross_starts[s->sender + 1]; j++) {
        const petsc_cross *link = &plan->cross[j];
        const float *new = plan->incoming + (link->place - first) * stride;
        const float *old = s->h->x + (s->graph->layout->own + plan->receive[link->place]) * stride;
        float *move = plan->moves + (int64_t)link->kept * stride, *other = s->plan.moves;
        for (int64_t k = 0; k < stride; k++) other[k] = new[k] - old[k];
        s->gains[s->sender].inner +=
            cafe_inner_share(link->weight, s->by.kernels->dot(stride, move, other),
                             s->local.parts.total, s->by.unit);
    }
}

cafe_status petsc_receive(cafe_context *context, petsc_sweep *s) {
    const petsc_state *state = s->state;
    petsc_plan *plan = &s->plan;
    int64_t stride = s->h->stride, senders = s->graph->senders;
    cafe_status status = CAFE_OK;
    if (s->sender < 0) return CAFE_OK;
    PETSC_MPI(MPI_Waitall(plan->count, plan->requests, MPI_STATUSES_IGNORE));
    if (plan->cross) weigh_ghosts(s);
    int64_t first = plan->receive_starts[s->sender * senders];
    int64_t last = plan->receive_starts[(s->sender + 1) * senders];
    for (int64_t i = first; i < last; i++)
        memcpy(s->h->x + (s->graph->layout->own + plan->receive[i]) * stride,
               plan->incoming + (i - first) * stride, (size_t)stride * sizeof(float));
    s->sender = -1;
    plan->count = 0;
done:
    return status;
}
