package io.godwit.perf.scenario;

/** The transport of a connection. */
public enum Security {
    PLAIN,
    TLS,
    /** TLS with a certificate of the client too. */
    MUTUAL_TLS
}
