/* SLEPc is given our product in double precision, as a shell matrix, and the tolerance that ours
 * has: the residual as a share of |Q|. All else is as SLEPc sets it. */
#include "slepc.h"

#include <math.h>

#include <slepceps.h>

typedef struct problem {
    cafe_context *context;
    const cafe_operator *op;
    long long products;
    double norm; /* of Q: the largest value seen */
} problem;

static PetscErrorCode multiply(Mat matrix, Vec from, Vec to) {
    problem *p = NULL;
    const PetscScalar *x;
    PetscScalar *y;
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(matrix, &p));
    PetscCall(VecGetArrayRead(from, &x));
    PetscCall(VecGetArray(to, &y));
    PetscCheck(cafe_operator_exact(p->context, &p->op->parts, 1, x, y) == CAFE_OK, PETSC_COMM_SELF,
               PETSC_ERR_LIB, "the product failed");
    p->products++;
    PetscCall(VecRestoreArray(to, &y));
    PetscCall(VecRestoreArrayRead(from, &x));
    PetscFunctionReturn(0);
}

static PetscErrorCode share_of_norm(EPS solver, PetscScalar value, PetscScalar imaginary,
                                    PetscReal residual, PetscReal *error, void *argument) {
    problem *p = argument;
    (void)solver, (void)imaginary;
    p->norm = fmax(p->norm, fabs(value));
    *error = residual / p->norm;
    return 0;
}

static PetscErrorCode take_vectors(EPS solver, Mat matrix, int count, double *vectors) {
    Vec vector;
    PetscInt n;
    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(matrix, &vector, NULL));
    PetscCall(VecGetSize(vector, &n));
    for (int j = 0; j < count; j++) {
        const PetscScalar *x;
        PetscCall(EPSGetEigenvector(solver, j, vector, NULL));
        PetscCall(VecGetArrayRead(vector, &x));
        for (PetscInt u = 0; u < n; u++) vectors[(int64_t)u * count + j] = x[u];
        PetscCall(VecRestoreArrayRead(vector, &x));
    }
    PetscCall(VecDestroy(&vector));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(problem *p, int count, double tolerance, double *vectors,
                            int *converged) {
    Mat matrix;
    EPS solver;
    PetscInt n = (PetscInt)p->op->n, found;
    PetscFunctionBeginUser;
    PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, p, &matrix));
    PetscCall(MatShellSetOperation(matrix, MATOP_MULT, (void (*)(void))multiply));
    PetscCall(EPSCreate(PETSC_COMM_SELF, &solver));
    PetscCall(EPSSetOperators(solver, matrix, NULL));
    PetscCall(EPSSetProblemType(solver, EPS_HEP));
    PetscCall(EPSSetType(solver, EPSKRYLOVSCHUR));
    PetscCall(EPSSetWhichEigenpairs(solver, EPS_LARGEST_REAL));
    PetscCall(EPSSetDimensions(solver, count, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(solver, tolerance, 100000));
    PetscCall(EPSSetConvergenceTestFunction(solver, share_of_norm, p, NULL));
    PetscCall(EPSSolve(solver));
    PetscCall(EPSGetConverged(solver, &found));
    *converged = found < count ? (int)found : count;
    PetscCall(take_vectors(solver, matrix, *converged, vectors));
    PetscCall(EPSDestroy(&solver));
    PetscCall(MatDestroy(&matrix));
    PetscFunctionReturn(0);
}

bool slepc_largest(cafe_context *context, const cafe_operator *op, int count, double tolerance,
                   double *vectors, long long *products, int *converged) {
    problem p = {context, op, 0, 0};
    bool done = SlepcInitialize(NULL, NULL, NULL, NULL) == 0 &&
                solve(&p, count, tolerance, vectors, converged) == 0 && SlepcFinalize() == 0;
    *products = p.products;
    return done;
}
