/**
 * Operators' access to a node: {@code bin/godwit-admin}, and the RPC service that it and the HTTP API use.
 *
 * <pre>
 * Admin              the command line: which node, which command
 * command            the commands that call nodes by RPC, or only use files
 * backup             backups of stores in use
 * action             what operators do with ranges and nodes, in one or several calls
 * steering           the same for the HTTP API
 * rpc                the service of a node, and its client
 * api                the commands that use the HTTP API
 *   http             its client
 * kubernetes         calls of the Kubernetes API server
 * terminal           tables, printable text and exit codes
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin;

import org.jspecify.annotations.NullMarked;
