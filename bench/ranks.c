/* What several processes are measured against; run it by mpirun.
 *
 *     cafe-ranks rates GRAPH COLUMNS
 *     cafe-ranks slepc GRAPH PAIRS TOLERANCE
 *     cafe-ranks eigen GRAPH PAIRS TOLERANCE
 *
 * rates are those that the forecast asks for, of one rank while all of them are busy. They are rows
 * of the graph's size read at random, rows sent from everybody to everybody, sums of all. The
 * others find the largest eigenvalues of Q, to |Q v - lambda v| <= tolerance |Q|: SLEPc's
 * Krylov-Schur, and our eigensolver on the engine petsc.
 *
 * SLEPc gets Q as PETSc has such matrices: A / 2m in compressed rows (MPIAIJ), divided by rows, and
 * the rest, p p^T, by a shell around it. Prints one line of JSON; seconds, by the clock and of all
 * processors, are those of the solver, with what the other ranks are waited for.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <slepceps.h>

#include <cafe/cafe.h>

#include "gather.h"
#include "kernels/row_kernels.h"
#include "spectral/eigen.h"

static int rank, ranks;

static void need(cafe_context *context, cafe_status status) {
    if (status == CAFE_OK) return;
    fprintf(stderr, "cafe-ranks: %s\n", context ? cafe_error(context) : "no context");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double all(double value, MPI_Op operation) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return value;
}

/* When a solver began. */
typedef struct moment {
    double wall, cpu;
} moment;

static moment now(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (moment){MPI_Wtime(), (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                                     1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec)};
}

static void show_solver(moment began, long long products, long long converged) {
    moment ended = now();
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    double seconds = all(ended.wall - began.wall, MPI_MAX),
           cpu = all(ended.cpu - began.cpu, MPI_SUM);
    double peak = all(1024.0 * (double)use.ru_maxrss, MPI_MAX);
    if (rank == 0)
        printf(
            "{\"ranks\": %d, \"seconds\": %.6g, \"cpu\": %.6g, \"products\": %lld, "
            "\"converged\": %lld, \"peak\": %.0f}\n",
            ranks, seconds, cpu, products, converged, peak);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Bytes a second of rows and their places; the slowest rank's. */
static double gather_rate(cafe_context *context, int64_t n, int64_t stride) {
    const int64_t rows = 1 << 21;
    int64_t own = n / ranks > 64 ? n / ranks : 64;
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = bench_gather(context, own, stride, rows, 2);
    return all((double)rows * (4.0 * (double)stride + 4) / seconds, MPI_MIN);
}

/* Bytes a second that a rank sends, and gets, when all do: on the whole, not at best. */
static double exchange_rate(void) {
    enum { BYTES = 4 << 20, TIMES = 16 };
    if (ranks == 1) return 0;
    int each = BYTES / ranks;
    char *from = calloc((size_t)each, (size_t)ranks), *to = calloc((size_t)each, (size_t)ranks);
    double began = 0;
    for (int i = -1; i < TIMES && from && to; i++) { /* the first is not counted */
        if (i == 0) began = MPI_Wtime();
        MPI_Alltoall(from, each, MPI_CHAR, to, each, MPI_CHAR, MPI_COMM_WORLD);
    }
    double spent = all(MPI_Wtime() - began, MPI_MAX);
    free(from);
    free(to);
    return TIMES * (double)each * (ranks - 1) / spent;
}

/* Microseconds of one of the steps that sums of all take. */
static double latency(int64_t stride) {
    enum { TIMES = 500 };
    double *from = calloc((size_t)stride, sizeof *from), *to = calloc((size_t)stride, sizeof *to);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    for (int i = 0; i < TIMES && from && to; i++)
        MPI_Allreduce(from, to, (int)stride, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double each = all(MPI_Wtime() - began, MPI_MAX) / TIMES;
    free(from);
    free(to);
    return ranks == 1 ? 0 : 1e6 * each / (1 + ceil(log2(ranks)));
}

static void show_rates(cafe_context *context, const cafe_operator *op, int64_t columns) {
    int64_t stride = cafe_stride(columns);
    double memory = gather_rate(context, op->n, stride), network = exchange_rate();
    double step = latency(stride);
    if (rank == 0)
        printf("{\"ranks\": %d, \"memory\": %.6g, \"network\": %.6g, \"latency\": %.6g}\n", ranks,
               memory, network, step);
}

/* ---- SLEPc ----------------------------------------------------------------------------------- */

typedef struct problem {
    Mat links; /* A / 2m */
    Vec p;
    long long products;
    double norm; /* of Q: the largest value seen */
} problem;

/* y = A x / 2m - p (p, x) */
static PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
    problem *q = NULL;
    PetscScalar expected;
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(matrix, &q));
    PetscCall(MatMult(q->links, x, y));
    PetscCall(VecDot(q->p, x, &expected));
    PetscCall(VecAXPY(y, -expected, q->p));
    q->products++;
    PetscFunctionReturn(0);
}

static PetscErrorCode share_of_norm(EPS solver, PetscScalar value, PetscScalar imaginary,
                                    PetscReal residual, PetscReal *error, void *argument) {
    problem *q = argument;
    (void)solver, (void)imaginary;
    q->norm = fmax(q->norm, fabs(value));
    *error = residual / q->norm;
    return 0;
}

static PetscErrorCode fill(const cafe_operator_parts *q, problem *to, PetscInt *own) {
    PetscInt first, last, n = (PetscInt)q->n, *starts, *columns;
    PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, n, &to->p));
    PetscCall(VecGetOwnershipRange(to->p, &first, &last));
    *own = last - first;
    int64_t begin = q->offsets[first], count = q->offsets[last] - begin;
    PetscCall(
        PetscMalloc3((size_t)*own + 1, &starts, (size_t)count, &columns, (size_t)count, &values));
    for (PetscInt u = first; u < last; u++) {
        starts[u - first] = (PetscInt)(q->offsets[u] - begin);
        PetscCall(VecSetValue(to->p, u, q->p[u], INSERT_VALUES));
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
            columns[j - begin] = q->targets[j];
            values[j - begin] = CAFE_LINK(q, u, j) / q->total;
        }
    }
    starts[*own] = (PetscInt)count;
    PetscCall(VecAssemblyBegin(to->p));
    PetscCall(VecAssemblyEnd(to->p));
    PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, *own, *own, n, n, starts, columns, values,
                                        &to->links));
    PetscCall(PetscFree3(starts, columns, values));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(problem *q, PetscInt own, int pairs, double tolerance,
                            PetscInt *converged) {
    Mat matrix;
    EPS solver;
    PetscFunctionBeginUser;
    PetscCall(
        MatCreateShell(PETSC_COMM_WORLD, own, own, PETSC_DETERMINE, PETSC_DETERMINE, q, &matrix));
    PetscCall(MatShellSetOperation(matrix, MATOP_MULT, (void (*)(void))multiply));
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(EPSSetOperators(solver, matrix, NULL));
    PetscCall(EPSSetProblemType(solver, EPS_HEP));
    PetscCall(EPSSetType(solver, EPSKRYLOVSCHUR));
    PetscCall(EPSSetWhichEigenpairs(solver, EPS_LARGEST_REAL));
    PetscCall(EPSSetDimensions(solver, pairs, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(solver, tolerance, 100000));
    PetscCall(EPSSetConvergenceTestFunction(solver, share_of_norm, q, NULL));
    PetscCall(EPSSolve(solver));
    PetscCall(EPSGetConverged(solver, converged));
    PetscCall(EPSDestroy(&solver));
    PetscCall(MatDestroy(&matrix));
    PetscFunctionReturn(0);
}

static PetscErrorCode show_slepc(const cafe_operator *op, int pairs, double tolerance) {
    problem q = {0};
    PetscInt own = 0, converged = 0;
    PetscFunctionBeginUser;
    PetscCall(fill(&op->parts, &q, &own));
    MPI_Barrier(MPI_COMM_WORLD);
    moment began = now();
    PetscCall(solve(&q, own, pairs, tolerance, &converged));
    show_solver(began, q.products, converged);
    PetscCall(MatDestroy(&q.links));
    PetscCall(VecDestroy(&q.p));
    PetscFunctionReturn(0);
}

/* ---- ours ------------------------------------------------------------------------------------ */

static void show_eigen(cafe_context *context, const cafe_operator *op, int pairs,
                       double tolerance) {
    cafe_owned rows = {0};
    cafe_eigen found = {0};
    need(context, cafe_owned_open(context, op, &rows));
    cafe_eigen_problem asked = cafe_eigen_owned(op, &rows, cafe_want_largest, pairs, tolerance);
    MPI_Barrier(MPI_COMM_WORLD);
    moment began = now();
    need(context, cafe_eigen_solve(context, &asked, &found));
    show_solver(began, found.passes * CAFE_EIGEN_WIDTH, found.converged);
    cafe_eigen_free(context, &found);
    cafe_owned_close(context, &rows);
}

int main(int count, char **arguments) {
    cafe_context_options o;
    cafe_context *context = NULL;
    cafe_graph *graph = NULL;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    if (count < 4 || SlepcInitialize(NULL, NULL, NULL, NULL) != 0) return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cafe_context_options_init(&o);
    o.threads = 1;
    bool ours = strcmp(arguments[1], "eigen") == 0;
    double tolerance = count > 4 ? atof(arguments[4]) : 1e-6;
    need(NULL, cafe_context_create(&o, &context));
    if (ours) need(context, cafe_engine_open(context, "petsc"));
    need(context, cafe_graph_read(context, arguments[2], NULL, &graph));
    need(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    need(context, cafe_operator_modularity(context, sampled, &op));
    if (strcmp(arguments[1], "rates") == 0)
        show_rates(context, op, atoll(arguments[3]));
    else if (ours)
        show_eigen(context, op, atoi(arguments[3]), tolerance);
    else if (show_slepc(op, atoi(arguments[3]), tolerance) != 0)
        return 1;
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return SlepcFinalize() == 0 ? 0 : 1;
}
