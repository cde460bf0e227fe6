/**
 * Clients of the whole cluster, for questions at any node (docs/adr/0064): {@link
 * io.godwit.broker.clients.ClientsOverNodes} asks, {@link io.godwit.broker.clients.ClientsService} answers.
 */
@NullMarked
package io.godwit.broker.clients;

import org.jspecify.annotations.NullMarked;
