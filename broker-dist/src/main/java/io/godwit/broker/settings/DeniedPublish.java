package io.godwit.broker.settings;

/** The reaction to a publish that is not allowed. */
public enum DeniedPublish {
    /** The publish is discarded; only MQTT 5.0 clients get a reason code. */
    DROP,
    /** The connection is closed. */
    DISCONNECT
}
