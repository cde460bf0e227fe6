package io.godwit.perf.scenario;

/** Who hears whom. */
public enum Topology {
    /** Publisher i has a topic of its own, which subscriber i hears. */
    ONE_TO_ONE,
    /** All publishers share a topic, which every subscriber hears. */
    FAN_OUT,
    /** Each publisher has a topic of its own; the subscribers are one shared group over all of them. */
    SHARED,
    /** Publishers only. */
    FAN_IN,
    /** Subscribers only: others publish. */
    LISTEN,
    /** Each subscriber has a topic of its own; each publisher has a share of these topics and chooses one at random. */
    RANDOM,
    /** Connections, and nothing else. */
    CONNECTIONS,
    /** Each client connects, publishes its few messages and leaves. */
    CONNECT_AND_PUBLISH
}
