package io.godwit.perf.scenario;

/** The report or tool whose names and tables a scenario uses. */
public enum Family {
    BIFROMQ,
    EMQ,
    RMQTT,
    MQTT_SERVER,
    /** None of these: the scenarios of {@code pub}, {@code sub}, {@code conn} and the like. */
    FREE
}
