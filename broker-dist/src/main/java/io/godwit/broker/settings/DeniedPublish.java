package io.godwit.broker.settings;

/** What becomes of a publish that is not allowed. */
public enum DeniedPublish {
    /** It is discarded, which only MQTT 5.0 is told. */
    DROP,
    /** Its connection is closed. */
    DISCONNECT
}
