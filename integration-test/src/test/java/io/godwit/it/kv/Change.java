package io.godwit.it.kv;

/** What an operator asks for while all that goes on. */
enum Change {
    SPLIT,
    MERGE,
    /** A range merged with its neighbour, led by different nodes until then. */
    MERGE_APART,
    TRANSFER,
    /** A learner made, promoted, or made of a voter; a replica given up. */
    CHANGE_VOTERS,
    /** A replica moved from one node to another: a learner there, promoted, and the other one given up. */
    MOVE
}
