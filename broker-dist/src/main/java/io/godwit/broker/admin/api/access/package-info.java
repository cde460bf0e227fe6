/** Commands about who may do what: users, rules, bans and tokens of the API. */
@NullMarked
package io.godwit.broker.admin.api.access;

import org.jspecify.annotations.NullMarked;
