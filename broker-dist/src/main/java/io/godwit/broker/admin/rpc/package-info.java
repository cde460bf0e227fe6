/**
 * The RPC service of a node for operators: its methods and their messages ({@link AdminMethods}, {@link Messages}), the
 * node's side ({@link AdminService}) and the caller's side ({@link AdminClient}).
 */
@NullMarked
package io.godwit.broker.admin.rpc;

import org.jspecify.annotations.NullMarked;
