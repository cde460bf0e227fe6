/** Who may do what: bans, tokens, users and rules, local callers, and the audit log. */
@NullMarked
package io.godwit.api.port.access;

import org.jspecify.annotations.NullMarked;
