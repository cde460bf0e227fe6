package io.godwit.perf.scenario;

/** Whose names and tables a scenario has. */
public enum Family {
    BIFROMQ,
    EMQ,
    RMQTT,
    MQTT_SERVER,
    /** Neither: pub, sub and conn. */
    FREE
}
