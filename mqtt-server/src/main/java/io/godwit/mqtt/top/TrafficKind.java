package io.godwit.mqtt.top;

/** What is counted. */
public enum TrafficKind {
    /** Clients by messages, in and out. */
    CLIENTS_BY_MESSAGES,
    /** Clients by bytes of payloads, in and out. */
    CLIENTS_BY_BYTES,
    /** Topics by messages that came in. */
    TOPICS
}
