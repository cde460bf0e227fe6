package io.godwit.plugin.event;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;

/** Something an operator may want to know, as an immutable value. */
public sealed interface BrokerEvent {

    /** A message was discarded for one receiver. */
    record MessageDropped(TenantId tenant, ClientId receiver, String topic, DropReason reason) implements BrokerEvent {}

    /** A client passed CONNECT. */
    record ClientConnected(ClientInfo client, boolean sessionPresent) implements BrokerEvent {}

    /** A connection that had passed CONNECT ended. */
    record ClientDisconnected(ClientInfo client, String reason) implements BrokerEvent {}

    /** A peer broke the protocol and was disconnected. */
    record ProtocolViolated(String remoteAddress, String detail) implements BrokerEvent {}

    /** A connection was closed or refused because a limit of its listener was reached. A listener is named by transport and address. */
    record ConnectionRefused(String listener, String remoteAddress, ConnectionLimit limit) implements BrokerEvent {}

    /** The certificate files of a listener have changed: new connections get the new ones. */
    record CertificatesReloaded(String listener) implements BrokerEvent {}

    /** The certificate files of a listener have changed and cannot be used: the old ones stay in force. */
    record CertificatesRejected(String listener, String cause) implements BrokerEvent {}

    /** A publish was refused because a store could not take it. */
    record PublishRefused(ClientInfo publisher, String topic, String cause) implements BrokerEvent {}
}
