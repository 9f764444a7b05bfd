/** A table holds the rows of all tenants, so to read all of one is never right, however much of it is one tenant's. */
export const POOL_OPTIONS = '-c enable_seqscan=off';

/**
 * A lane keeps its plans, and one may have been made when the table was empty or for the largest tenant. What belongs
 * on a lane reads an index in its order, whatever the statistics say.
 */
export const LANE_OPTIONS = `${POOL_OPTIONS} -c enable_bitmapscan=off -c enable_sort=off`;
