/**
 * The commands of {@code bin/godwit-admin} that ask the HTTP API: {@link ApiCommands} has all of them. The packages
 * below have one class for each command, and {@code base} what they share.
 */
@NullMarked
package io.godwit.broker.admin.api;

import org.jspecify.annotations.NullMarked;
