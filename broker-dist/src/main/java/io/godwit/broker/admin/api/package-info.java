/**
 * The commands of {@code bin/godwit-admin} that ask the HTTP API: clients, sessions, messages.
 *
 * <pre>
 * ApiCommands        all of them
 *   (X)Command       one each
 *     StreamCommand  prints what happens
 *     ListCommand    lists items page by page
 *     WatchedCommand may be repeated, with --watch
 *     ApiCommand     has a client of the API
 * Output             what a command prints: tables, JSON, notices
 *   Columns          the columns of a list, and how values are shown
 *   Listing          the pages of a list, joined
 * Invocation         the options of all commands
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin.api;

import org.jspecify.annotations.NullMarked;
