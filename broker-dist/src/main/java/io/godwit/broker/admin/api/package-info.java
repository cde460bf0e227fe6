/**
 * The commands of {@code bin/godwit-admin} that ask the HTTP API: clients, sessions, messages.
 *
 * <pre>
 * ApiCommands        all of them
 *   (X)Command       one each
 *     StreamCommand  tells what happens while it happens
 *     ListCommand    lists items page by page: says its path and its columns
 *     WatchedCommand may be repeated, with --watch
 *     ApiCommand     has a client of the API
 * Output             what a command prints: tables, JSON, notices
 *   Columns          what is shown of an item, and how
 *   Listing          pages joined
 * Invocation         what the command line says for all commands
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin.api;

import org.jspecify.annotations.NullMarked;
