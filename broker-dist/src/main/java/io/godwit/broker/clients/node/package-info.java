/**
 * What one node answers about its clients ({@link NodeClients}), and the answers of this node ({@link OwnClients}).
 */
@NullMarked
package io.godwit.broker.clients.node;

import org.jspecify.annotations.NullMarked;
