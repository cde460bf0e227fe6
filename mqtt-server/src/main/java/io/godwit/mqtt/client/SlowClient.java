package io.godwit.mqtt.client;

/** A connected client and how long it takes to acknowledge. */
public record SlowClient(ClientKey key, AckPace pace) {}
