/**
 * The commands of {@code bin/godwit-admin} that call nodes by RPC, or only use files. {@code RangeChangeCommand} is the
 * base of those that change one range; {@code NodeInvocation} is what commands see of the command line.
 */
@NullMarked
package io.godwit.broker.admin.command;

import org.jspecify.annotations.NullMarked;
