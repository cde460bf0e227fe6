/**
 * The output of {@code bin/godwit-admin} for people and scripts: tables that fit the terminal, text without control
 * characters, exit codes.
 */
@NullMarked
package io.godwit.broker.admin.terminal;

import org.jspecify.annotations.NullMarked;
