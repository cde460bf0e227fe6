/**
 * How nodes ask each other about their clients: {@link PeerClients} asks, {@link ClientsService} answers, and the
 * classes {@code (X)Wire} translate values into messages.
 */
@NullMarked
package io.godwit.broker.clients.remote;

import org.jspecify.annotations.NullMarked;
