/* Any number of bytes from every process to every other.
 *
 * Counts of MPI have 32 bits, so messages are cut into pieces, sent for all pairs at once. Before
 * the exchange all processes agree that each has room for its bytes.
 */
#include <string.h>

#include "petsc.h"

static const int64_t piece = (int64_t)1 << 28;

typedef struct exchange {
    const petsc_state *state;
    const char *give;
    char *got;
    const int64_t *sizes, *got_sizes;
    MPI_Request *requests;
    int count; /* of them at work */
} exchange;

static int64_t sum(const int64_t *sizes, int32_t count) {
    int64_t all = 0;
    for (int32_t r = 0; r < count; r++) all += sizes[r];
    return all;
}

/* Returns the size of piece i of `size` bytes; 0 after the end. */
static int left(int64_t size, int64_t i) {
    int64_t bytes = size - i * piece;
    return (int)(bytes < 0 ? 0 : bytes < piece ? bytes : piece);
}

/* Exchanges piece i with all others; *more: another piece follows. */
static int send_pieces(exchange *e, int64_t i, bool *more) {
    const petsc_state *s = e->state;
    const char *from = e->give;
    char *to = e->got;
    int code = MPI_SUCCESS;
    e->count = 0;
    *more = false;
    for (int32_t r = 0; r < s->ranks && code == MPI_SUCCESS; r++) {
        int in = left(e->got_sizes[r], i), out = left(e->sizes[r], i);
        if (r == s->rank && in > 0) memcpy(to + i * piece, from + i * piece, (size_t)in);
        if (r != s->rank && in > 0)
            code = MPI_Irecv(to + i * piece, in, MPI_BYTE, r, 0, s->comm, &e->requests[e->count++]);
        if (r != s->rank && out > 0 && code == MPI_SUCCESS)
            code =
                MPI_Isend(from + i * piece, out, MPI_BYTE, r, 0, s->comm, &e->requests[e->count++]);
        *more |= in == piece || out == piece;
        to += e->got_sizes[r];
        from += e->sizes[r];
    }
    return code == MPI_SUCCESS ? MPI_Waitall(e->count, e->requests, MPI_STATUSES_IGNORE) : code;
}

static cafe_status send_all(cafe_context *context, exchange *e) {
    bool more = true;
    for (int64_t i = 0; more; i++) {
        CAFE_PASS(e->state->host->check_cancel(context));
        CAFE_PASS(petsc_mpi(context, e->state, send_pieces(e, i, &more)));
    }
    return CAFE_OK;
}

cafe_status petsc_exchange(cafe_context *context, const cafe_engine *engine, const void *give,
                           const int64_t *sizes, void **got, int64_t *got_sizes) {
    const petsc_state *state = engine->state;
    const cafe_engine_host *host = state->host;
    exchange e = {.state = state, .give = give, .sizes = sizes, .got_sizes = got_sizes};
    cafe_status status = CAFE_OK;
    *got = NULL;
    PETSC_MPI(MPI_Alltoall(sizes, 1, MPI_INT64_T, got_sizes, 1, MPI_INT64_T, state->comm));
    e.got = host->allocate(context, sum(got_sizes, state->ranks), 1);
    e.requests = host->allocate(context, 2 * state->ranks, sizeof *e.requests);
    CAFE_TRY(petsc_agree(context, engine, e.got && e.requests ? CAFE_OK : CAFE_ERROR_MEMORY));
    CAFE_TRY(send_all(context, &e));
    *got = e.got;
    e.got = NULL;
done:
    if (!petsc_idle(e.count, e.requests)) e.got = NULL, e.requests = NULL;
    host->release(context, e.got);
    host->release(context, e.requests);
    return status;
}
