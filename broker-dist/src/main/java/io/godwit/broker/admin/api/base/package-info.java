/**
 * What the commands that use the HTTP API have in common.
 *
 * <pre>
 * ApiCommand         has a client of the API
 *   WatchedCommand   may be repeated, with --watch
 *     ListCommand    lists items page by page
 *   StreamCommand    prints what happens
 * Output             what a command prints: tables, JSON, notices
 *   Columns          the columns of a list, and how values are shown
 *   Listing          the pages of a list, joined
 * Sweep              deletes one message, or all that match a filter
 * Invocation         the options of all commands
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin.api.base;

import org.jspecify.annotations.NullMarked;
