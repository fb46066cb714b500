/* Rounds of an update: the nodes under pressure, swept together. */
#ifndef CAFE_UPDATE_ACTIVE_SWEEP_H
#define CAFE_UPDATE_ACTIVE_SWEEP_H

#include "update/update_state.h"

typedef struct cafe_active {
    cafe_context *context;
    cafe_reached *reached;
    cafe_update_state *state;
    double spread;
    int32_t *list; /* places of the active nodes, ascending */
    float *moved;  /* of each, how far in this round */
    int64_t count, list_room, moved_room;
    int64_t summed;         /* arcs visited to sum rows, */
    _Atomic int64_t marked; /* and to pass on moves */
} cafe_active;

void cafe_active_free(cafe_active *active);

/* Adds the pressure of the changes: on nodes whose edges changed, and on neighbours of nodes whose
 * factor changed. */
cafe_status cafe_active_press(cafe_active *active, const float *factors_before);
/* Lists the active nodes: those whose pressure is above `spread`. */
cafe_status cafe_active_collect(cafe_active *active);
/* Sweeps them; *gain gets the growth of the objective. s of the state follows. */
cafe_status cafe_active_sweep(cafe_active *active, double *gain);

#endif
