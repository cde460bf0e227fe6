package io.godwit.broker.settings.cluster;

/** The treatment of a client before MQTT 5.0 that a balancer would redirect. */
public enum OlderClients {
    LET_IN,
    REFUSE
}
