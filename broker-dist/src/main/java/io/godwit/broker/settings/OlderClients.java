package io.godwit.broker.settings;

/** What becomes of a client before MQTT 5.0 that a balancer would send to another server. */
public enum OlderClients {
    LET_IN,
    REFUSE
}
