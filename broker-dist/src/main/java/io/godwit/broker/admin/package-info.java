/**
 * What operators ask of a node: {@code bin/godwit-admin} and the RPC service behind it.
 *
 * <pre>
 * Admin              the command line: where the node is, which command, exit codes
 *   (X)Command         one command each; RangeCommands has those that change one range
 *   AdminClient        calls a node
 *   Text               what people read; with --json they get the messages themselves
 * AdminMethods       the methods of the service, and their messages as JSON
 *   Messages           what is asked and answered
 * AdminService       the node's side, on io.godwit.kv.operate.NodeOperations
 * api                the commands that go by the HTTP API
 *   http             its client
 * kubernetes         what pods ask the API server of Kubernetes
 * terminal           tables, printable text and exit codes of all commands
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin;

import org.jspecify.annotations.NullMarked;
