package io.godwit.perf.scenario;

/** How publishers and subscribers are related. */
public enum Topology {
    /** Publisher i has a topic of its own, to which subscriber i subscribes. */
    ONE_TO_ONE,
    /** All publishers share a topic, to which every subscriber subscribes. */
    FAN_OUT,
    /** Each publisher has a topic of its own; the subscribers are one shared group over all of them. */
    SHARED,
    /** Publishers only. */
    FAN_IN,
    /** Subscribers only; other clients publish. */
    LISTEN,
    /**
     * Each subscriber has a topic of its own; each publisher has a part of these topics and chooses one at random for
     * each message.
     */
    RANDOM,
    /** Connections only. */
    CONNECTIONS,
    /** Each client connects and publishes its few messages. */
    CONNECT_AND_PUBLISH
}
