/**
 * What people and scripts get of {@code bin/godwit-admin}: tables that fit the terminal, text without control
 * characters, exit codes.
 */
@NullMarked
package io.godwit.broker.admin.terminal;

import org.jspecify.annotations.NullMarked;
