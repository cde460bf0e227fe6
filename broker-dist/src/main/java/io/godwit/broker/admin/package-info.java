/**
 * Operators' access to a node: {@code bin/godwit-admin} and the RPC service behind it.
 *
 * <pre>
 * Admin              the command line: which node, which command
 *   (X)Command         one command each; RangeCommand is the base of those that change one range
 *   NodeInvocation     what the commands see of the command line
 *   AdminClient        calls a node
 *   Text               formats for people; with --json the messages themselves are printed
 * AdminMethods       the methods of the service, and their messages as JSON
 *   Messages           requests and answers
 * AdminService       the node's side, using io.godwit.kv.operate.NodeOperations
 * api                the commands that use the HTTP API
 *   http             its client
 * kubernetes         calls of the Kubernetes API server
 * terminal           tables, printable text and exit codes
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin;

import org.jspecify.annotations.NullMarked;
