package io.godwit.plugin.event;

/** What a plugin did that it must not. */
public enum PluginFault {
    /** A call threw, or its future failed. */
    THREW,
    /** A call, or its future, answered null. */
    NULL_ANSWER,
    /** A call was answered with what is not allowed. */
    INVALID_ANSWER,
    /** A call was not answered in time. */
    NO_ANSWER,
    /** A call was answered after its time, when nobody waited any more. */
    LATE_ANSWER,
    /** A call was not made, since too many others were not answered. */
    TOO_MANY_CALLS,
    /** It said that it does not block, and did: it is called on its own threads from now on. */
    BLOCKED,
    /** So many calls failed that none is made for a while. */
    CIRCUIT_OPENED,
    /** It says that it is not well, or does not say how it is. */
    UNHEALTHY,
    /** It asked for a meter too many. */
    TOO_MANY_METERS,
    /** Events for it were discarded, since too many waited. Each event counts. */
    QUEUE_FULL,
    /** It has made so many threads that it seems to leak them. */
    TOO_MANY_THREADS,
    /** The process before this one was ended by it, or cut short while it was called. Told once, at the start. */
    SUSPECTED
}
