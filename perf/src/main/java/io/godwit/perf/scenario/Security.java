package io.godwit.perf.scenario;

/** What a connection goes over. */
public enum Security {
    PLAIN,
    TLS,
    /** TLS where the client shows a certificate too. */
    MUTUAL_TLS
}
