/**
 * Clients of the whole cluster, for questions at any node (docs/adr/0064): {@link ClientsOverNodes} asks this node and
 * all others, and merges the answers.
 */
@NullMarked
package io.godwit.broker.clients;

import org.jspecify.annotations.NullMarked;
