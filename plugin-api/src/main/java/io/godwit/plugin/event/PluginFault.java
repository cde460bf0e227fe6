package io.godwit.plugin.event;

/** A breach of contract by a plugin. */
public enum PluginFault {
    /** A call threw, or its future failed. */
    THREW,
    /** A call returned null, or its future completed with null. */
    NULL_ANSWER,
    /** A call gave an answer that is not allowed. */
    INVALID_ANSWER,
    /** A call was not answered in time. */
    NO_ANSWER,
    /** A call was answered after its time, when its result was no longer needed. */
    LATE_ANSWER,
    /** A call was not made, because too many others were unanswered. */
    TOO_MANY_CALLS,
    /** The plugin said that it does not block, and did: from now on it is called on its own threads. */
    BLOCKED,
    /** So many calls failed that the broker makes none for a while. */
    CIRCUIT_OPENED,
    /** The plugin reports that it is down, or does not report its health. */
    UNHEALTHY,
    /** The plugin asked for too many meters. */
    TOO_MANY_METERS,
    /** Events for the plugin were discarded because too many waited. Raised for each event. */
    QUEUE_FULL,
    /** The plugin has made so many threads that it seems to leak them. */
    TOO_MANY_THREADS,
    /** The plugin ended the previous process, or that process died during a call to it. Raised once, at the start. */
    SUSPECTED
}
