package io.godwit.broker.settings;

/** What a full session queue does with a QoS 1 or 2 message. Neither fails the publisher. */
public enum OverflowPolicy {
    DROP_NEWEST,
    DROP_OLDEST
}
