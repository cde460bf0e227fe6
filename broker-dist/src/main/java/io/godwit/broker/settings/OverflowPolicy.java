package io.godwit.broker.settings;

/** What a full session queue drops when a QoS 1 or 2 message arrives. Neither policy fails the publisher. */
public enum OverflowPolicy {
    DROP_NEWEST,
    DROP_OLDEST
}
